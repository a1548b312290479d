package import TokenVaultGroupStore
import Glibc
import TokenVaultKeyCustody
import TokenVaultCrypto
package import TokenVaultModel

/// A vault's group, opened when it is first needed and opened again when another process moved it
/// to another generation. Every call blocks; ``Vault`` keeps it off the cooperative pool.
package final class VaultCore {
  package let configuration: VaultConfiguration
  private var opened: UnlockedGroup? {
    willSet { ownCommits += opened?.commits ?? 0 }
  }
  /// How often this vault changed the group over connections that are closed by now.
  private var ownCommits: UInt64 = 0
  /// The group that this vault made.
  private var madeGroup: [UInt8]?
  private var admitted: GroupManifest?

  package init(_ configuration: VaultConfiguration) { self.configuration = configuration }

  package var group: GroupName { configuration.group }
  package var now: Timestamp { configuration.now() }

  // MARK: Transactions

  /// Reads one snapshot. A group that does not exist throws ``VaultError/noGroup(_:)``.
  package func read<R>(_ body: (GroupTransaction) throws -> R) throws(VaultError) -> R {
    try withGroup { try $0.read(body) }
  }

  /// Changes the group in one durable step.
  package func write<R>(_ body: (GroupTransaction) throws -> R) throws(VaultError) -> R {
    try withGroup { try $0.write(body) }
  }

  func withGroup<R>(_ body: (UnlockedGroup) throws -> R) throws(VaultError) -> R {
    try vaultErrors(group) {
      // Each round lost means that another process rotated the key in between.
      for _ in 0..<200 {
        do { return try body(try open()) } catch StoreError.generationChanged { opened = nil }
      }
      throw StoreError.busy
    }
  }

  /// Forgets the open file and its keys.
  package func close() { opened = nil }

  func open() throws -> UnlockedGroup {
    if let opened, opened.isInPlace { return opened }
    try admit()
    let group = try KeyRetrieval(configuration: configuration).open(configuration.groupPath)
    opened = group
    try settle(group)
    return group
  }

  /// Uses a group that was opened by other means: made, or opened with the recovery code.
  func adopt(_ group: UnlockedGroup) { opened = group }

  /// Notes that this vault made the group, by so many commits.
  func noteMaking(of groupID: [UInt8], commits: UInt64) {
    opened = nil
    ownCommits = commits
    madeGroup = groupID
  }

  /// What differs once somebody else changed the group.
  struct ChangeMark: Equatable, Sendable {
    let groupID: [UInt8]
    let foreignCommits: UInt64
    /// Whether this vault made the group and nobody else has changed it.
    let isOwnWork: Bool
  }

  /// The present mark; nil while there is no group.
  func changeMark() throws(VaultError) -> ChangeMark? {
    do {
      return try withGroup { group in
        let changes = try group.read { $0.state.changes }
        let foreign = changes &- self.ownCommits &- group.commits
        return ChangeMark(
          groupID: group.header.groupID, foreignCommits: foreign,
          isOwnWork: foreign == 0 && group.header.groupID == self.madeGroup)
      }
    } catch .noGroup {
      return nil
    }
  }

  // MARK: Membership

  /// Refuses an executable that is no member. The command line is every group's administrator: a
  /// group whose manifest is gone must still be listed and signed out of.
  func admit() throws(VaultError) {
    if !configuration.isAdministrator { try requireMembership() }
  }

  /// The group's manifest, once the executable has been found among its members.
  @discardableResult
  package func requireMembership() throws(VaultError) -> GroupManifest {
    if let admitted { return admitted }
    let manifest = try Manifests(directories: configuration.manifestDirectories)
      .find(group).manifest
    if configuration.isAdministrator { return manifest }
    let executable = try Self.executable()
    guard manifest.admits(executable: executable) else {
      throw .notAMember(executable: executable, group: group)
    }
    admitted = manifest
    return manifest
  }

  /// The running executable as the kernel knows it; what a tool says of itself is not asked.
  package static func executable() throws(VaultError) -> String {
    let path = "/proc/self/exe"
    guard let resolved = unsafe realpath(path, nil) else {
      throw .file(path: path, call: "realpath", errno: errno)
    }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  // MARK: Unfinished business

  /// Ends what a sign-out that was cut short left to do, before anything else is served.
  private func settle(_ group: UnlockedGroup) throws {
    let (pending, wrapped) = try group.read { transaction in
      (!transaction.state.pendingDeletions.isEmpty, transaction.hasDeletionChecks)
    }
    guard pending || wrapped else { return }
    let boot = try configuration.bootIdentifier()
    guard try pending || group.read({ $0.hasDueDeletionChecks(boot: boot) }) else { return }
    do {
      try FileLock.hold(configuration.lockPath, waiting: 0) {
        do { try Rotation(configuration).finish(group, boot: boot) } catch CustodyError.timedOut
          where !pending && group.header.custody != .secretService
        {
          // A group that has left the keyring must not wait for it at each open.
          try group.write { $0.postponeDeletionChecks(boot: boot) }
        }
      }
    } catch StoreError.busy {
      // Whoever holds the lock is at it.
    } catch is CustodyError {
      // The sign-out said that something was left. A keyring that still does not delete must not
      // keep the accounts from being used; the next open tries again.
    }
  }
}

/// The running boot, as the kernel names it.
enum Boot {
  static func identifier() throws(VaultError) -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(path: path, call: "open", errno: errno) }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 36)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
    }
    guard count == 36 else { throw .file(path: path, call: "read", errno: errno) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
