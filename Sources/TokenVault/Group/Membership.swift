import Glibc
package import TokenVaultModel

/// Decides whether the running executable may open a group.
package struct Membership: Sendable {
  private let configuration: VaultConfiguration

  package init(_ configuration: VaultConfiguration) { self.configuration = configuration }

  /// Checks that the executable is a member of the group. The command line, which administers every
  /// group, is not checked.
  /// - Returns: The group's manifest.
  /// - Throws: ``VaultError/notAMember(executable:group:)``; ``VaultError/noManifest(_:)``.
  package func manifest() throws(VaultError) -> GroupManifest {
    let manifest = try Manifests(directories: configuration.manifestDirectories)
      .find(configuration.group).manifest
    if configuration.isAdministrator { return manifest }
    let executable = try Self.executable()
    guard manifest.admits(executable: executable) else {
      throw .notAMember(executable: executable, group: configuration.group)
    }
    return manifest
  }

  /// The path of the running executable, according to the kernel. A tool cannot claim another name.
  package static func executable() throws(VaultError) -> String {
    let path = "/proc/self/exe"
    guard let resolved = unsafe realpath(path, nil) else {
      throw .file(path: path, call: "realpath", errno: errno)
    }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
