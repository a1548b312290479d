public import Foundation
public import Synchronization
public import TokenVault
public import TokenVaultModel

/// A throw-away vault: directories of its own, a clock that stands still, and a session with a
/// real keyring. Everything in its directory is gone when the last reference is.
public final class TestVault: Sendable {
  /// The home; the vault's and the manifests' directories are in it.
  public let home: URL
  /// The session that keeps its keys.
  public let session: PrivateSecretService
  /// Seconds since 1970, as the vault sees them.
  public let clock = Mutex<Int64>(TestVault.start)
  /// From when on the clock goes on beside the real one, for a vault that talks to a peer with a
  /// clock of its own; nil for one that stands still.
  public let tickingFrom = Mutex<ContinuousClock.Instant?>(nil)
  /// The boot, as the vault sees it.
  public let boot = Mutex<String>("first boot")
  /// When the clocks of all test vaults stand at first.
  public static let start: Int64 = 1_800_000_000

  /// - Parameters:
  ///   - session: nil for one that all vaults of the moment share.
  ///   - manifest: written to the user's manifests; nil for the shipped one.
  public init(session: PrivateSecretService? = nil, manifest: GroupManifest? = nil) throws {
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

  /// Writes a manifest to the user's manifests.
  public func save(_ manifest: GroupManifest) throws {
    try Manifests(directories: [manifestDirectory.path]).save(manifest)
  }

  /// The user's manifests.
  public var manifestDirectory: URL { home.appending(path: ".config/tokenvault/keychain-groups") }
  /// The machine's manifests.
  public var machineManifestDirectory: URL { home.appending(path: "etc/keychain-groups") }
  /// The vault's directory.
  public var directory: URL { home.appending(path: ".local/share/tokenvault") }
  /// The file of a group.
  public func file(_ group: GroupName = .universalStorage) -> URL {
    directory.appending(path: "groups/\(group).vault")
  }

  /// A configuration for it, as the command line has it.
  public func configuration(_ group: GroupName = .universalStorage) -> VaultConfiguration {
    guard
      var configuration = VaultConfiguration(
        group: group, environment: ["HOME": home.path])
    else { preconditionFailure("the home is an absolute path") }
    configuration.sessionBusAddress = session.busAddress
    configuration.manifestDirectories = [manifestDirectory.path, machineManifestDirectory.path]
    configuration.deviceFile = home.appending(path: "etc/device.json").path
    configuration.isAdministrator = true
    configuration.now = { [self] in
      let passed = tickingFrom.withLock { $0 }?.duration(to: .now).components.seconds ?? 0
      return Timestamp(epochSeconds: clock.withLock { $0 } + passed)
    }
    configuration.bootIdentifier = { [self] in boot.withLock { $0 } }
    return configuration
  }

  /// Opens it anew, as another process would.
  package func core(
    _ group: GroupName = .universalStorage, _ change: (inout VaultConfiguration) -> Void = { _ in }
  ) -> GroupSession {
    var configuration = configuration(group)
    change(&configuration)
    return GroupSession(configuration)
  }
}

/// One session for all test vaults that are there at a time; nothing is left running afterwards.
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
