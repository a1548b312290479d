import ArgumentParser
import TokenVaultSignIn
import TokenVault
import TokenVaultModel

struct SignInCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in", abstract: "Sign in through the browser, or with a code.",
    discussion: """
      The account becomes the group's current one. What the command does not say is taken from \
      the account where one is named, else from "signIn" in $XDG_CONFIG_HOME/tokenvault/config.json: \
      {"clientId", "authority", "scopes", "redirectUri"}. Without a desktop, the page's address \
      is shown; it is opened in a browser on this machine, while --device-code works with any.

      EXAMPLES
        tokenvault sign-in --client-id ID --authority https://login.microsoftonline.com/common \
      --scope User.Read
        tokenvault sign-in --client-id ID --authority https://id.example.com --device-code
        tokenvault sign-in ada@contoso.example --prompt login
      """,
    aliases: ["login"])

  @Argument(
    help: ArgumentHelp("An account to sign in again. \(accountForms)", valueName: "account"),
    completion: .custom { _, _, _ in Completions.accounts() })
  var known: String?
  @Option(
    help: ArgumentHelp("The same as an option.", valueName: "account"),
    completion: .custom { _, _, _ in Completions.accounts() })
  var account: String?
  @Option(help: "The application's id at the provider.")
  var clientId: String?
  @Option(help: "The provider: an authority of Microsoft's, or an OpenID Connect issuer.")
  var authority: String?
  @Option(help: "A scope the token must have; may be repeated.")
  var scope: [String] = []
  @Option(help: "A scope to consent to in the same go; may be repeated.")
  var extraScope: [String] = []
  @Option(help: "What the provider asks: select_account, login, consent or create.")
  var prompt: PromptWord?
  @Option(help: "The user name that the page begins with.")
  var loginHint: String?
  @Option(help: "A domain that shortens the way to the right page.")
  var domainHint: String?
  @Option(help: "What should be in the tokens: a claims request in JSON.")
  var claims: String?
  @Flag(help: "Sign in on another device, with a code.")
  var deviceCode = false
  @Option(
    help: "Where the browser brings the answer: a loopback address or private-use scheme.")
  var redirectUri: String?
  @Option(
    help: ArgumentHelp(
      "The browser's command; %s stands for the page. Else BROWSER, xdg-open. Empty: show the page.",
      valueName: "command"))
  var browser: String?
  @Option(help: "For how long to wait for the browser: 90s, 5m.")
  var timeout = "5m"
  @OptionGroup(title: "Global options") var global: GlobalOptions

  enum PromptWord: String, ExpressibleByArgument, CaseIterable {
    case selectAccount = "select_account"
    case login, consent, create
  }

  func validate() throws {
    if known != nil, account != nil {
      throw ValidationError("The account is named twice.")
    }
    let forBrowser: [(String, Bool)] = [
      ("--prompt", prompt != nil), ("--login-hint", loginHint != nil),
      ("--domain-hint", domainHint != nil), ("--redirect-uri", redirectUri != nil),
      ("--browser", browser != nil), ("--extra-scope", !extraScope.isEmpty),
    ]
    if deviceCode, let other = forBrowser.first(where: \.1) {
      throw ValidationError("--device-code and \(other.0) exclude each other.")
    }
  }

  func run(in invocation: Invocation) throws {
    guard let patience = Duration(timeout), patience.seconds > 0 else {
      throw CommandError.badDuration(timeout)
    }
    let claims = try Invocation.claims(claims)
    let selection = try invocation.select(needsAccount: false)
    invocation.explain(selection)
    let core = try invocation.vault(of: selection)
    let again = try storedSignIn(core)
    let terms = try SignInTerms(
      SignInTerms.Wishes(
        clientID: clientId, authority: authority, scopes: scope, redirectURI: redirectUri),
      again, in: invocation)
    let isNew = try isNew(core)
    let acquisition = invocation.acquisition(
      in: core, browser: browser,
      report: SignInProgress(invocation, patience: timeout).tell)
    let result: TokenResult
    if deviceCode {
      result = try acquisition.deviceCode(
        terms.scopes, claims: claims, account: again?.account.homeAccountID, terms.application,
        makesCurrent: true)
    } else {
      try invocation.register(terms.application.redirectURI)
      result = try acquisition.interactive(
        request(terms, claims, again, patience), terms.application, makesCurrent: true)
    }
    invocation.tellOfNewGroup(isNew, selection.group)
    if global.json { return try invocation.answerJSON { result.account.write(to: &$0) } }
    try invocation.answer(
      "signed in  \(PlainText.escaped(result.account.shownName))  to \(selection.group) "
        + "(current account)")
  }

  private func storedSignIn(_ core: GroupSession) throws(VaultError) -> StoredSignIn? {
    guard let name = known ?? account else { return nil }
    return try core.storedSignIn(AccountReference(parsing: name), client: clientId)
  }

  /// Whether the group will be made. What keeps it from being opened is told here, before anybody
  /// signs in for nothing.
  private func isNew(_ core: GroupSession) throws(VaultError) -> Bool {
    do {
      try core.read { _ in }
      return false
    } catch .noGroup { return true }
  }

  private func request(
    _ terms: SignInTerms, _ claims: ClaimsRequest?, _ again: StoredSignIn?, _ patience: Duration
  ) -> InteractiveRequest {
    var request = InteractiveRequest(scopes: terms.scopes)
    request.prompt = prompt.flatMap { Prompt(rawValue: $0.rawValue) } ?? .ifNecessary
    request.loginHint = loginHint ?? again?.account.username ?? ""
    request.domainHint = domainHint ?? ""
    request.extraScopesToConsent = ScopeSet(target: extraScope.joined(separator: " "))
    request.claims = claims
    request.account = again?.account.homeAccountID
    request.deadlineMilliseconds = Int(patience.seconds) * 1000
    return request
  }
}
