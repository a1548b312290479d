import ArgumentParser
import TokenVault
import TokenVaultModel

struct OpenCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Open the account's page at its provider in the browser.",
    discussion: """
      The page is that of the provider file, otherwise the one that the provider names in its \
      discovery document; of a stored secret it is the service. Nothing but the address goes to the \
      browser, which has a session of its own with the provider.

      EXAMPLES
        tokenvault open
        tokenvault open ada@contoso.example
        tokenvault open octocat --print
      """)

  @Argument(
    help: ArgumentHelp(
      "\(AccountOption.forms) Default: TOKENVAULT_ACCOUNT, the rule for the directory, the group's "
        + "current account."),
    completion: .custom { words, _, _ in Completions.accounts(words) })
  var account: String?
  @OptionGroup var place: ServiceOption
  @Flag(help: "Print the address and open nothing.")
  var print = false
  @Option(
    help: ArgumentHelp(
      "The browser command; %s is replaced by the URL. Default: BROWSER, xdg-open.",
      valueName: "command"))
  var browser: String?
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if print, browser != nil { throw ValidationError("--print and --browser cannot be combined.") }
  }

  func run(in invocation: Invocation) throws {
    try invocation.requireBrowser(browser)
    var invocation = invocation
    invocation.options.account = account
    invocation.options.service = place.service
    let (selection, vault) = try invocation.selectedAccount()
    let chosen = try vault.account(selection.account)
    let acquisition = invocation.acquisition(
      in: vault, browser: browser, report: SignInProgress(invocation).tell)
    guard let page = try acquisition.portalPage(of: chosen) else {
      throw Failure.noPortal(chosen, provider: vault.configuration.providers.path("NAME"))
    }
    if !print, !acquisition.platform.browser.open(page) { throw Failure.browserNotOpened(page) }
    let address = PlainText.escaped(page.description)
    if global.json {
      try invocation.answerJSON { writer in
        writer.object {
          $0.field("page", page.description)
          $0.field("opened", !print)
        }
      }
    } else if print {
      try invocation.answer(address)
    } else {
      invocation.tell("Opened \(address)")
    }
  }
}
