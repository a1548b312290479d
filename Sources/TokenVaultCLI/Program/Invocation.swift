import Glibc
import TokenVaultSystem
package import TokenVault
package import TokenVaultModel
package import TokenVaultSignIn

/// The process a command runs in. Environment, working directory and standard streams are read
/// here and nowhere else.
package struct Invocation: Sendable {
  /// The variables that tokenvault uses and that are set and not empty, by name.
  package var environment: [String: String]
  /// The working directory, symlinks resolved; nil when it is gone.
  package var workingDirectory: String?
  package var options = Options()
  let typedPassphrase = TypedPassphrase()

  /// The values of the global options.
  package struct Options: Sendable {
    package var group: String?
    package var account: String?
    /// Whether naming the account overrules the rules that forbid it.
    package var overrulesDenials = true
    /// The URL or host of a service, whose secret is the account.
    package var service: String?
    package var vaultDirectory: String?
    /// The address that a credential is for; nil if the command has none. Rules are compared with it, and
    /// with the next two.
    package var address: HTTPURL?
    /// The resources that a token is for.
    package var audiences: [String] = []
    /// Whether a scope of the token names no resource.
    package var hasBareScopes = false
    /// The tenant that a token is requested for.
    package var tenant: String?
    package var isJSON = false
    package var mayAsk = true
    package var isVerbose = false
    /// Whether notes and progress are left out.
    package var isQuiet = false
    package var passphraseDescriptor: Int32?
    /// Whether a new passphrase may have fewer than 8 characters.
    package var acceptsWeakPassphrase = false
    /// Whether the command takes `--custody`.
    package var takesCustody = false
    /// Whether the key is to be put into the keyring.
    package var wantsKeyring = false
    /// Whether the command only says what is wrong.
    package var isDiagnosis = false
    /// The words of the command, as in `group backup`.
    package var command = ""

    package init() {}

    /// Compares rules with the resources and the tenant of a request.
    mutating func seek(_ request: TokenRequest) {
      var situation = Situation()
      situation.take(scopes: request.scopes, resource: request.resource)
      (audiences, hasBareScopes) = (situation.audiences, situation.hasBareScopes)
      tenant = request.tenantID
    }
  }

  private static let variables = [
    "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
    "TOKENVAULT_HOME", "TOKENVAULT_GROUP", "TOKENVAULT_ACCOUNT", "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY", "WAYLAND_DISPLAY", "CREDENTIALS_DIRECTORY", "NO_COLOR", "TERM", "BROWSER",
    "SSL_CERT_FILE", "SSL_CERT_DIR",
  ]

  /// This process.
  package static func ofProcess(options: Options = Options()) -> Invocation {
    var directory: String?
    if let path = unsafe getcwd(nil, 0) {
      // The kernel puts "(unreachable)" in front of a directory outside the root.
      let text = unsafe String(validatingCString: path)
      directory = text.flatMap { $0.hasPrefix("/") ? $0 : nil }
      unsafe free(path)
    }
    return Invocation(
      environment: variables(variables), workingDirectory: directory, options: options)
  }

  /// The values of those of these variables that are set and not empty, by name.
  static func variables(_ names: [String]) -> [String: String] {
    var values: [String: String] = [:]
    for name in names {
      // An empty variable counts as unset (XDG base directory specification).
      if let value = unsafe getenv(name), unsafe value.pointee != 0 {
        values[name] = unsafe String(cString: value)
      }
    }
    return values
  }

  /// Makes sure that descriptors 0, 1 and 2 are open. Otherwise the next file or socket would get
  /// one of these numbers, and a token meant for standard output would be written to it.
  package static func holdStandardStreams() {
    for descriptor in Int32(0)...2 where lseek(descriptor, 0, SEEK_CUR) < 0 && errno == EBADF {
      // In the wrong direction, so that using the descriptor fails instead of losing data.
      let flags = descriptor == 0 ? O_WRONLY : O_RDONLY
      // absent is an answer: without /dev/null there is no substitute.
      do { _ = try SystemCalls.open("/dev/null", flags) } catch { continue }
    }
  }

  /// The wall clock.
  package var now: Timestamp { Timestamp(epochSeconds: Int64(time(nil))) }

  /// The path made absolute against the working directory.
  package func absolute(_ path: String) throws(CommandError) -> String {
    if path.hasPrefix("/") { return path }
    guard let workingDirectory else { throw .noWorkingDirectory }
    return path == "." ? workingDirectory : workingDirectory + "/" + path
  }

  /// The path as ``workingDirectory`` spells it: absolute, with symlinks resolved if it exists.
  func resolved(_ path: String) throws(CommandError) -> String {
    let absolute = try absolute(path)
    guard let place = unsafe realpath(absolute, nil) else { return PathText.normal(absolute) }
    defer { unsafe free(place) }
    return unsafe String(cString: place)
  }

  func requireDirectory() throws(CommandError) -> String {
    guard let workingDirectory else { throw .noWorkingDirectory }
    return workingDirectory
  }

  /// The value of a variable that holds a directory. Relative paths are ignored, as the XDG base
  /// directory specification demands.
  func directory(in variable: String) -> String? {
    environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// The path of the user's configuration file, which need not exist.
  package var configurationFile: String? {
    (directory(in: "XDG_CONFIG_HOME") ?? directory(in: "HOME").map { $0 + "/.config" })
      .map { $0 + "/tokenvault/config.json" }
  }

  /// The configuration of the vault for a group.
  package func configuration(_ group: GroupName) throws(CommandError) -> VaultConfiguration {
    var environment = environment
    if let directory = options.vaultDirectory {
      guard !directory.isEmpty else { throw .badVaultDirectory("", .empty) }
      environment["TOKENVAULT_HOME"] = try absolute(directory)
    }
    if let directory = environment["TOKENVAULT_HOME"] {
      guard directory.hasPrefix("/") else { throw .badVaultDirectory(directory, .relative) }
      guard !InputFile.exists(directory) || InputFile.exists(directory + "/.") else {
        throw .badVaultDirectory(directory, .notADirectory)
      }
    }
    var configuration: VaultConfiguration
    do {
      configuration = try VaultConfiguration(group: group, environment: environment)
    } catch { throw .vault(error) }
    configuration.isAdministrator = true
    // The program protected itself when it started.
    configuration.protectsProcess = false
    if !options.mayAsk { configuration.allowsPrompt = false }
    let (options, typed) = (options, typedPassphrase)
    configuration.passphrase = { purpose in
      let passphrase = try PassphraseReading.read(purpose, options)
      if options.passphraseDescriptor == nil, case .open(let group) = purpose { typed.note(group) }
      return passphrase
    }
    return configuration
  }
}
