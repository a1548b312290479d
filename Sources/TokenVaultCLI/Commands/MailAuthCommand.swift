import ArgumentParser
import Glibc

/// ``HelperProgram`` runs before the arguments are parsed, so that this command is run only if options
/// stand before its name. It gives the helper its help and its completions.
struct MailAuthCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "mail-auth", abstract: "Print the token of a mail account, for a mail program.",
    discussion: """
      A program that reads a password from a command gets a fresh token from this one: msmtp, mbsync, \
      mutt and neomutt. It never prompts, and prints nothing but the answer. If there is none, standard \
      error has the reason, and the exit status is not 0.

      EXAMPLES
        tokenvault mail-auth --user ada@contoso.example
        tokenvault mail-auth --user ada@home.example --scope https://mail.google.com/
        tokenvault mail-auth --user ada@contoso.example --mechanism xoauth2
      """)

  @Option(
    help: ArgumentHelp(
      "The user name at the mail server, which is also the account.", valueName: "name"),
    completion: .custom { words, _, _ in Completions.accounts(words) })
  var user: String?
  @Option(
    help: ArgumentHelp(
      "token (the default) prints the bare token; xoauth2 and oauthbearer print the response of the "
        + "mechanism in Base64.", valueName: "name"),
    completion: .list(["token", "xoauth2", "oauthbearer"]))
  var mechanism: String?
  @Option(help: ArgumentHelp("The mail server, for rules and for oauthbearer.", valueName: "name"))
  var host: String?
  @Option(help: ArgumentHelp("Its port, for oauthbearer.", valueName: "n"))
  var port: String?
  @Option(help: "A scope of the token; may be repeated.")
  var scope: [String] = []
  @Option(help: ArgumentHelp("A resource in place of scopes.", valueName: "url"))
  var resource: String?
  @Option(
    help: "The account, if its name is not that of --user. No rule forbids it then.",
    completion: .custom { words, _, _ in Completions.accounts(words) })
  var account: String?
  @Option(help: "The tenant to get the token for.")
  var tenant: String?
  @Option(help: ArgumentHelp("The client to get the token for.", valueName: "id"))
  var clientId: String?
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let options = [
      ("--group", global.group), ("--vault-dir", global.vaultDir), ("--user", user),
      ("--mechanism", mechanism), ("--host", host), ("--port", port), ("--resource", resource),
      ("--account", account), ("--tenant", tenant), ("--client-id", clientId),
    ]
    let values = options + scope.map { ("--scope", $0) }
    let words =
      ["tokenvault", "mail-auth"] + (global.verbose ? ["--verbose"] : [])
      + values.compactMap { name, value in value.map { "\(name)=\($0)" } }
    guard let helper = HelperProgram(words) else { throw CleanExit.helpRequest(self) }
    _exit(helper.run())
  }
}
