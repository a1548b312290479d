import ArgumentParser

/// The options of every command, accepted before and after its name.
struct GlobalOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The keychain group. Default: TOKENVAULT_GROUP, the rule for the directory, the configured "
        + "default, com.microsoft.identity.universalstorage.", valueName: "name"),
    completion: .custom { _, _, _ in Completions.groups() })
  var group: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Never prompt.")
  var noInput = false

  @Option(
    help: ArgumentHelp(
      "The vault's directory. Default: TOKENVAULT_HOME, $XDG_DATA_HOME/tokenvault.",
      valueName: "dir"),
    completion: .directory)
  var vaultDir: String?

  @Option(
    help: ArgumentHelp(
      "Read passphrases from this file descriptor, one per line.", valueName: "n"))
  var passphraseFd: Int32?

  @Flag(
    name: .shortAndLong,
    help: "Print which group is used, and why, and every line of a long result.")
  var verbose = false

  @Flag(
    name: .shortAndLong,
    help: "Print no notes and no progress. Results, questions and errors are printed as before.")
  var quiet = false

  /// ``CommandLineProgram`` looks for it before the arguments are parsed, so that it needs no
  /// others.
  @Flag(name: [.customShort("V"), .long], help: "Print the version.")
  var version = false

  func apply(to options: inout Invocation.Options) {
    options.group = group
    options.vaultDirectory = vaultDir
    options.isJSON = json
    options.mayAsk = !noInput
    options.isVerbose = verbose
    options.isQuiet = quiet
    options.passphraseDescriptor = passphraseFd
  }
}
