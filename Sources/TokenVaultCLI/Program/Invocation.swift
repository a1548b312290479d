import Glibc
import TokenVaultSystem
package import TokenVault
package import TokenVaultModel

/// What a command knows of the process it runs in: the environment, the working directory and the
/// standard streams are looked at here and nowhere else.
package struct Invocation: Sendable {
  /// The variables that count, by name.
  package var environment: [String: String]
  /// The working directory, symlinks resolved; nil when it is gone.
  package var workingDirectory: String?
  package var options = Options()

  /// What the global options say.
  package struct Options: Sendable {
    package var group: String?
    package var account: String?
    package var vaultDirectory: String?
    package var isJSON = false
    package var mayAsk = true
    package var isVerbose = false
    package var passphraseDescriptor: Int32?

    package init() {}
  }

  private static let variables = [
    "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "TOKENVAULT_HOME",
    "TOKENVAULT_GROUP", "TOKENVAULT_ACCOUNT", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY",
    "WAYLAND_DISPLAY", "CREDENTIALS_DIRECTORY", "NO_COLOR", "TERM", "BROWSER", "SSL_CERT_FILE",
    "SSL_CERT_DIR",
  ]

  /// The process as it is.
  package static func ofProcess(options: Options = Options()) -> Invocation {
    var environment: [String: String] = [:]
    for name in variables {
      // An empty variable is one that is not set (XDG base directory specification).
      if let value = unsafe getenv(name), unsafe value.pointee != 0 {
        environment[name] = unsafe String(cString: value)
      }
    }
    var directory: String?
    if let path = unsafe getcwd(nil, 0) {
      // The kernel puts "(unreachable)" before a directory outside of the root.
      let text = unsafe String(cString: path)
      directory = text.hasPrefix("/") ? text : nil
      unsafe free(path)
    }
    return Invocation(
      environment: environment, workingDirectory: directory, options: options)
  }

  /// Makes sure that 0, 1 and 2 are taken. Otherwise the next file or socket that is opened would
  /// be one of them, and a token meant for the standard output would go there.
  package static func holdStandardStreams() {
    for descriptor in Int32(0)...2 where lseek(descriptor, 0, SEEK_CUR) < 0 && errno == EBADF {
      // The wrong way round, so that using it is an error and not a loss.
      let flags = descriptor == 0 ? O_WRONLY : O_RDONLY
      // absent is an answer: without /dev/null there is nothing better to put there.
      do { _ = try SystemCalls.open("/dev/null", flags) } catch { continue }
    }
  }

  /// The wall clock.
  package var now: Timestamp { Timestamp(epochSeconds: Int64(time(nil))) }

  /// An absolute path for one that may be relative to the working directory.
  package func absolute(_ path: String) throws(CommandError) -> String {
    if path.hasPrefix("/") { return path }
    guard let workingDirectory else { throw .noWorkingDirectory }
    return path == "." ? workingDirectory : workingDirectory + "/" + path
  }

  /// A vault's configuration for a group.
  package func configuration(_ group: GroupName) throws(CommandError) -> VaultConfiguration {
    var environment = environment
    if let directory = options.vaultDirectory {
      environment["TOKENVAULT_HOME"] = try absolute(directory)
    }
    guard var configuration = VaultConfiguration(group: group, environment: environment) else {
      throw .noHome
    }
    configuration.isAdministrator = true
    if !options.mayAsk { configuration.allowsPrompt = false }
    let (mayAsk, descriptor) = (options.mayAsk, options.passphraseDescriptor)
    configuration.passphrase = { purpose in
      if let descriptor { return try PassphraseReading.line(of: descriptor) }
      return mayAsk ? try PassphraseReading.ask(purpose) : nil
    }
    return configuration
  }
}
