import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel

/// Deletes a group with all its accounts.
package struct GroupDeletion {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// Deletes the group: its key in the keyring first, which alone makes copies of the file
  /// unreadable, then the file. A passphrase, key file or recovery code still opens a copy. Of a
  /// file that is damaged beyond its header nothing tells the key: it stays, and opens nothing.
  package func delete() throws(VaultError) {
    try session.admit()
    try vaultErrors(group) {
      // No lock is made for a group that is not there.
      _ = try self.readableHeader()
      self.session.close()
      try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        // Until the lock was had, others may have moved the group on, or made another.
        try self.delete(self.readableHeader())
      }
    }
  }

  /// The header; nil where the file is too damaged to have one.
  private func readableHeader() throws -> GroupHeader? {
    do { return try LockedGroup(path: configuration.groupPath).header } catch {
      switch error {
      case .damaged, .notAGroupFile: return nil
      default: throw error
      }
    }
  }

  private func deleteKeys(of header: GroupHeader) throws {
    if header.custody == .secretService {
      let custodian = GroupCustody(configuration).custodian
      for generation in try custodian.generations(of: header.groupID) {
        try custodian.delete(GroupKeyID(groupID: header.groupID, generation: generation))
      }
    }
    try KernelKeyring.forget(
      GroupKeyID(groupID: header.groupID, generation: header.generation))
    _ = try StaleCopies(configuration).remove(of: header)
  }

  private func delete(_ header: GroupHeader?) throws {
    if let header { try deleteKeys(of: header) }
    try GroupCreation.remove(configuration.groupPath)
    try FileSafety.syncDirectory(configuration.groupsDirectory)
    _ = try DirectoryRules(vaultDirectory: configuration.directory).removeAll(group: group)
  }
}
