import Glibc
import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultSystem

/// Keeps a group unlocked for a limited time, with its key in the kernel keyring.
package struct KernelUnlock {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// Keeps the group's key in the kernel keyring for this number of seconds.
  ///
  /// It holds the group's lock, so that no sign-out is between the choice of the key and its
  /// storing: that sign-out would already have looked for the key.
  package func unlock(seconds: UInt32) throws(VaultError) {
    try session.withGroup { _ in }
    try vaultErrors(group) {
      try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        try self.session.withGroup { group in
          // Another process may have rotated the key before this one had the lock.
          try group.read { _ in }
          let id = GroupKeyID(groupID: group.header.groupID, generation: group.header.generation)
          try Self.note(self.configuration)
          try group.withKey { try KernelKeyring.keep($0, as: id, seconds: seconds) }
        }
      }
    }
  }

  /// Whether to name `group unlock` to the user: the group was never unlocked, and this is the first
  /// call for it.
  package func takeOffer() -> Bool {
    guard unsafe access(configuration.unlockNotePath, F_OK) != 0 else { return false }
    let flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW
    // absent is an answer: the file exists, or a later call may create it.
    do { close(try SystemCalls.open(configuration.unlockOfferPath, flags, mode: 0o600)) } catch {
      return false
    }
    return true
  }

  /// Removes the keys of all generations of the group from the kernel keyring.
  /// - Returns: Whether one was there.
  package func lock() throws(VaultError) -> Bool {
    try vaultErrors(group) {
      let header = try GroupInspection(self.session).header()
      return try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        try Self.forget(header.groupID, self.configuration)
      }
    }
  }

  /// Removes the keys of all generations of a group. The caller holds the group's lock.
  ///
  /// Containers often forbid the calls. Then a key can still be there, kept by a process outside, if
  /// the group was unlocked since the machine started.
  /// - Returns: Whether a key was there.
  @discardableResult
  static func forget(
    _ groupID: [UInt8], _ configuration: VaultConfiguration
  ) throws -> Bool {
    do { return try KernelKeyring.forgetAll(of: groupID) } catch {
      let isForbidden = [EPERM, ENOSYS].contains { error == .kernelKeyring(errno: $0) }
      if isForbidden, try !wasUnlockedSinceBoot(configuration) { return false }
      throw error
    }
  }

  /// Records the boot in which the group was last unlocked.
  private static func note(_ configuration: VaultConfiguration) throws {
    try SmallFile.write(
      Array(configuration.bootIdentifier().utf8), to: configuration.unlockNotePath)
  }

  private static func wasUnlockedSinceBoot(_ configuration: VaultConfiguration) throws -> Bool {
    guard let boot = try SmallFile.read(configuration.unlockNotePath) else { return false }
    return boot == Array(try configuration.bootIdentifier().utf8)
  }
}
