import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel

/// Deletes a group with all its accounts.
package struct GroupDeletion {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

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

  /// While the file is there, a deletion that was killed can be repeated, so it goes last.
  private func delete(_ header: GroupHeader?) throws {
    if let header { try deleteKeys(of: header) }
    try SmallFile.remove(configuration.unlockNotePath)
    try SmallFile.remove(configuration.unlockOfferPath)
    _ = try AccountRules(vaultDirectory: configuration.directory).removeAll(group: group)
    try GroupCreation.remove(configuration.groupPath)
    try FileSafety.syncDirectory(configuration.groupsDirectory)
  }

  /// Removes the empty log of a group whose file is gone, and its index: a deletion was killed after it
  /// had removed the file. A log with content may belong to a file that was moved away, and stays. No
  /// key is touched.
  /// - Returns: Whether there was anything to remove.
  package func removeEmptyLog() throws(VaultError) -> Bool {
    guard !GroupCreation.orphans(of: configuration.groupPath).isEmpty else { return false }
    return try vaultErrors(group) {
      try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        // The group may have been created again meanwhile.
        let orphans = GroupCreation.orphans(of: self.configuration.groupPath)
        for file in orphans { try GroupCreation.remove(file) }
        try FileSafety.syncDirectory(self.configuration.groupsDirectory)
        return !orphans.isEmpty
      }
    }
  }
}
