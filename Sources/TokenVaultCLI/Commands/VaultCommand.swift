import ArgumentParser

/// A command that works with a vault.
protocol VaultCommand: ParsableCommand {
  var global: GlobalOptions { get }
  func run(in invocation: Invocation) throws
}

/// The options that every command takes, before or after its name.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The keychain group. Else TOKENVAULT_GROUP, the directory's rule, the configured default, "
        + "com.microsoft.identity.universalstorage.", valueName: "name"),
    completion: .custom { _, _, _ in Completions.groups() })
  var group: String?

  @Flag(help: "Answer in JSON.")
  var json = false

  @Flag(help: "Never ask anything.")
  var noInput = false

  @Option(
    help: ArgumentHelp(
      "The vault's directory. Else TOKENVAULT_HOME, $XDG_DATA_HOME/tokenvault.", valueName: "dir"),
    completion: .directory)
  var vaultDir: String?

  @Option(
    help: ArgumentHelp(
      "Read passphrases from this file descriptor, one a line.", valueName: "n"))
  var passphraseFd: Int32?

  @Flag(name: .shortAndLong, help: "Say which group was chosen, and why.")
  var verbose = false

  func apply(to options: inout Invocation.Options) {
    options.group = group
    options.vaultDirectory = vaultDir
    options.isJSON = json
    options.mayAsk = !noInput
    options.isVerbose = verbose
    options.passphraseDescriptor = passphraseFd
  }
}

/// What names an account, for the help of every command that takes one.
let accountForms =
  "A user name, alias, home account id or a unique prefix of one, without regard to case; where "
  + "several answer to it, the id in its own case, or ID//ENVIRONMENT."

/// `--account`, for commands that work with one account.
struct AccountOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "\(accountForms) Else TOKENVAULT_ACCOUNT, the directory's rule, the group's current account.",
      valueName: "account"),
    completion: .custom { _, _, _ in Completions.accounts() })
  var account: String?
}

/// The conditions that accounts can be listed and exported by.
struct FilterOptions: ParsableArguments {
  @Option(help: "Only accounts with this user name.")
  var username: String?
  @Option(help: "Only the account with this home account id.")
  var identifier: String?
  @Option(help: "Only accounts with this identifier in some tenant.")
  var tenantProfile: String?
  @Option(help: "Only accounts of this environment, by any alias of its cloud.")
  var environment: String?
  @Option(help: "Only accounts of this B2C policy.")
  var policy: String?
  @Option(help: "Only accounts that this client holds tokens of.")
  var clientId: String?
  @Flag(help: "Only accounts that are signed out.")
  var signedOut = false
}
