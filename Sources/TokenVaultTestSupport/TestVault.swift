package import Foundation
package import Synchronization
package import TokenVault
package import TokenVaultModel

/// A temporary vault with its own directories, a clock that stands still, and a session with a real
/// keyring. Releasing the last reference removes its directory.
package final class TestVault: Sendable {
  /// The home, which contains the directories of the vault and of the manifests.
  package let home: URL
  /// The session whose keyring keeps the keys.
  package let session: PrivateSecretService
  /// The vault's clock, in seconds since 1970.
  package let clock = Mutex<Int64>(TestVault.start)
  /// The moment from which the clock advances with the real one, for a vault that talks to a peer
  /// with its own clock; nil for a clock that stands still.
  package let tickingFrom = Mutex<ContinuousClock.Instant?>(nil)
  /// The vault's boot identifier.
  package let boot = Mutex<String>("first boot")
  /// The initial value of the clock.
  package static let start: Int64 = 1_800_000_000

  /// - Parameters:
  ///   - session: nil for a session that all present vaults share.
  ///   - manifest: a manifest to save; nil for the shipped ones only.
  package init(session: PrivateSecretService? = nil, manifest: GroupManifest? = nil) throws {
    self.session = try session ?? SharedSession.current()
    home = URL(filePath: "/tmp/tv-home-\(UUID().uuidString.prefix(13))")
    try FileManager.default.createDirectory(
      at: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    if let manifest { try save(manifest) }
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: home)
    } catch {
      FileHandle.standardError.write(Data("cannot remove \(home.path): \(error)\n".utf8))
    }
  }

  /// Saves a manifest in the user's directory.
  package func save(_ manifest: GroupManifest) throws {
    try Manifests(directories: [manifestDirectory.path]).save(manifest)
  }

  /// The directory of the user's manifests.
  package var manifestDirectory: URL { home.appending(path: ".config/tokenvault/keychain-groups") }
  /// The directory of the machine's manifests.
  package var machineManifestDirectory: URL { home.appending(path: "etc/keychain-groups") }
  /// The vault's directory.
  package var directory: URL { home.appending(path: ".local/share/tokenvault") }
  /// The file of a group.
  package func file(_ group: GroupName = .universalStorage) -> URL {
    directory.appending(path: "groups/\(group).vault")
  }

  /// A configuration for this vault, like that of the command line.
  package func configuration(_ group: GroupName = .universalStorage) -> VaultConfiguration {
    var configuration: VaultConfiguration
    do {
      configuration = try VaultConfiguration(group: group, environment: ["HOME": home.path])
    } catch { preconditionFailure("the home is not an absolute path: \(error)") }
    configuration.sessionBusAddress = session.busAddress
    configuration.manifestDirectories = [manifestDirectory.path, machineManifestDirectory.path]
    configuration.deviceFile = home.appending(path: "etc/device.json").path
    configuration.isAdministrator = true
    // The process of the tests is none to protect: tests read its memory.
    configuration.protectsProcess = false
    configuration.now = { [self] in
      let passed = tickingFrom.withLock { $0 }?.duration(to: .now).components.seconds ?? 0
      return Timestamp(epochSeconds: clock.withLock { $0 } + passed)
    }
    configuration.bootIdentifier = { [self] in boot.withLock { $0 } }
    return configuration
  }

  /// Opens a group of the vault, as another process would.
  package func groupSession(
    _ group: GroupName = .universalStorage, _ change: (inout VaultConfiguration) -> Void = { _ in }
  ) -> GroupSession {
    var configuration = configuration(group)
    change(&configuration)
    return GroupSession(configuration)
  }
}

/// One session for all test vaults that exist at the same time. It ends with the last of them.
private enum SharedSession {
  private struct Weak { weak var session: PrivateSecretService? }
  private static let shared = Mutex(Weak())

  static func current() throws -> PrivateSecretService {
    try shared.withLock { shared in
      if let session = shared.session { return session }
      let session = try PrivateSecretService()
      shared.session = session
      return session
    }
  }
}
