import Glibc
package import TokenVaultModel
import TokenVaultSystem

/// Everything about a process, except its arguments, that selects a group and an account.
package struct Surroundings: Sendable {
  /// The variables that tokenvault uses and that are set and not empty, by name.
  package var environment: [String: String]
  /// The working directory, symlinks resolved; nil when it is gone.
  package var workingDirectory: String?

  package init(environment: [String: String], workingDirectory: String?) {
    self.environment = environment
    self.workingDirectory = workingDirectory
  }

  private static let names = [
    "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
    "TOKENVAULT_HOME", "TOKENVAULT_GROUP", "TOKENVAULT_ACCOUNT", "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY", "WAYLAND_DISPLAY", "CREDENTIALS_DIRECTORY", "NO_COLOR", "TERM", "BROWSER",
    "SSL_CERT_FILE", "SSL_CERT_DIR",
  ]

  /// Those of this process.
  package static func ofProcess() -> Surroundings {
    var directory: String?
    if let path = unsafe getcwd(nil, 0) {
      // The kernel puts "(unreachable)" in front of a directory outside the root.
      let text = unsafe String(validatingCString: path)
      directory = text.flatMap { $0.hasPrefix("/") ? $0 : nil }
      unsafe free(path)
    }
    return Surroundings(
      environment: ProcessEnvironment.variables(names), workingDirectory: directory)
  }

  /// The path made absolute against the working directory.
  package func absolute(_ path: String) throws(SelectionError) -> String {
    if path.hasPrefix("/") { return path }
    guard let workingDirectory else { throw .noWorkingDirectory }
    return path == "." ? workingDirectory : workingDirectory + "/" + path
  }

  /// The value of a variable that holds a directory. Relative paths are ignored, as the XDG base
  /// directory specification demands.
  package func directory(in variable: String) -> String? {
    environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// The path of the user's configuration file, which need not exist.
  package var configurationFile: String? {
    (directory(in: "XDG_CONFIG_HOME") ?? directory(in: "HOME").map { $0 + "/.config" })
      .map { $0 + "/tokenvault/config.json" }
  }

  /// The configuration of the vault for a group, for the command line: it administers every group,
  /// and has protected its process before anything secret was in memory.
  /// - Parameter vaultDirectory: the value of `--vault-dir`.
  package func configuration(
    _ group: GroupName, vaultDirectory: String?
  ) throws(SelectionError) -> VaultConfiguration {
    var environment = environment
    if let vaultDirectory {
      guard !vaultDirectory.isEmpty else { throw .badVaultDirectory("", .empty) }
      environment["TOKENVAULT_HOME"] = try absolute(vaultDirectory)
    }
    if let directory = environment["TOKENVAULT_HOME"] {
      guard directory.hasPrefix("/") else { throw .badVaultDirectory(directory, .relative) }
      guard !Self.exists(directory) || Self.exists(directory + "/.") else {
        throw .badVaultDirectory(directory, .notADirectory)
      }
    }
    var configuration: VaultConfiguration
    do {
      configuration = try VaultConfiguration(group: group, environment: environment)
    } catch { throw .vault(error) }
    configuration.isAdministrator = true
    configuration.protectsProcess = false
    return configuration
  }

  private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
