import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel

/// Deletes a group with all its accounts.
package struct GroupDeletion {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// Whether a deletion was killed when it had removed the keys and the file, and not yet the log.
  package var isUnfinished: Bool { !GroupCreation.orphans(of: configuration.groupPath).isEmpty }

  /// Deletes the group: first both parts of its key, which by itself makes copies of the file
  /// unreadable, then the file. A passphrase, key file or recovery code still opens a copy. If the
  /// file is damaged beyond its header, its key cannot be identified: the parts stay where they are,
  /// and open nothing.
  package func delete() throws(VaultError) {
    try session.admit()
    try vaultErrors(group) {
      // A lock file is not created for a group that does not exist.
      _ = try self.readableHeader()
      self.session.close()
      try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        // While this process waited for the lock, another may have rotated the group's key or
        // created another group.
        try self.delete(self.readableHeader())
      }
    }
  }

  /// The header; nil if the file is too damaged to have one.
  private func readableHeader() throws -> GroupHeader? {
    do { return try LockedGroup(path: configuration.groupPath).header } catch {
      switch error {
      case .damaged, .notAGroupFile: return nil
      case .notFound where isUnfinished: return nil
      default: throw error
      }
    }
  }

  private func deleteKeys(of header: GroupHeader) throws {
    let parts = GroupCustody(configuration).parts
    if header.custody == .secretService {
      try parts.deleteAll(of: header.groupID)
    } else {
      // A rekey to this custody may not have been able to delete its former device part.
      try parts.deleteDeviceParts(of: header.groupID, before: .max)
    }
    try KernelUnlock.forget(header.groupID, configuration)
    _ = try StaleCopies(configuration).remove(of: header)
  }

  private func delete(_ header: GroupHeader?) throws {
    if let header { try deleteKeys(of: header) }
    try GroupCreation.remove(configuration.groupPath)
    try SmallFile.remove(configuration.unlockNotePath)
    try SmallFile.remove(configuration.unlockOfferPath)
    try FileSafety.syncDirectory(configuration.groupsDirectory)
    _ = try AccountRules(vaultDirectory: configuration.directory).removeAll(group: group)
  }
}
