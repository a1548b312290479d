package import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultSystem

/// Copies a group's file, and restores a copy.
package struct Backup {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// Writes a copy of the group file to a path that does not exist yet.
  ///
  /// The copy is as well protected as the group: only the present key of the group opens it, and
  /// the next sign-out destroys that key.
  package func write(to path: String) throws(VaultError) {
    try session.withGroup { group in
      // A damaged group must not become the only copy that a user has.
      guard try group.read({ try $0.verify() }).isSound else { throw StoreError.damaged(rows: nil) }
      try GroupBackup.write(group, to: path)
    }
  }

  /// Replaces the group by a backup.
  ///
  /// Nothing is changed unless the backup opens with a key that still exists, is undamaged, and has
  /// at least the generation of the group: an erased account must not return.
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
      // No process can have an unreadable file open, so none uses its log.
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

  private func discard(_ copy: String) {
    bestEffort("the copy is encrypted, and the next restore or sign-out removes it") {
      try GroupCreation.remove(copy)
    }
  }
}
