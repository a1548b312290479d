package import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel

/// Copies a group's file, and puts a copy back.
package struct Backup {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// Writes a copy of the group file to a path where nothing is yet.
  ///
  /// It is as sealed as the group: only the group's present key opens it, and the next sign-out
  /// destroys that key.
  package func write(to path: String) throws(VaultError) {
    try session.withGroup { group in
      // A damaged group must not become somebody's only copy.
      guard try group.read({ try $0.verify() }).isSound else { throw StoreError.damaged(rows: nil) }
      try GroupBackup.write(group, to: path)
    }
  }

  /// Puts a backup in the place of the group.
  ///
  /// Nothing is changed unless the backup opens with a key that is still there, is sound, and is of
  /// no older generation than the group: an erased account must not return.
  package func restore(from path: String) throws(VaultError) -> VerificationReport {
    session.close()
    return try vaultErrors(group) {
      try FileSafety.makeDirectory(self.configuration.groupsDirectory)
      return try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        let copy = StaleCopies(self.configuration).restoreCopy
        try GroupCreation.remove(copy)
        defer { self.discard(copy) }
        try GroupBackup.fetch(path, to: copy)
        return try self.install(copy)
      }
    }
  }

  private func install(_ copy: String) throws -> VerificationReport {
    let backup = try KeyRetrieval(configuration: configuration).open(copy)
    let findings = try backup.read { try $0.verify() }
    guard findings.isSound else { throw StoreError.damaged(rows: nil) }
    let path = configuration.groupPath
    let present = try present(path)
    switch present {
    case .none, .unreadable:
      // Nobody can have an unreadable file open, and so nobody its log.
      let draft = StaleCopies(configuration).restoreDraft
      try GroupCreation.remove(draft)
      try GroupBackup.write(backup, to: draft)
      try GroupCreation.publish(path, from: draft, replacing: present == .unreadable)
    case .group(let header):
      guard header.groupID == backup.header.groupID else { throw VaultError.foreignBackup(group) }
      guard header.generation <= backup.header.generation else {
        throw VaultError.olderFile(
          group, generation: backup.header.generation, newest: header.generation)
      }
      try GroupBackup.install(backup, over: path)
    }
    return findings
  }

  private enum Present: Equatable {
    case none
    case unreadable
    case group(GroupHeader)
  }

  private func present(_ path: String) throws -> Present {
    do {
      let locked = try LockedGroup(path: path)
      return .group(locked.header)
    } catch StoreError.notFound {
      return .none
    } catch StoreError.damaged, StoreError.notAGroupFile {
      return .unreadable
    }
  }

  /// What is left of a copy is sealed, and the next restore or sign-out removes it.
  private func discard(_ copy: String) {
    do { try GroupCreation.remove(copy) } catch { _ = error }
  }
}
