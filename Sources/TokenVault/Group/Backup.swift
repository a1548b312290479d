import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSystem

/// Copies a group's file. ``Restore`` puts the copy back.
package struct Backup {
  private let session: GroupSession
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// The keys that open a copy.
  package struct Keys: Sendable {
    /// The custody of the key at the time of the copy.
    package let custody: GroupCustodyKind
    package let hasRecoveryCode: Bool
    /// Whether only a key that the next sign-out or rekey destroys opens the copy.
    package var isShortLived: Bool { lasting.isEmpty }
    fileprivate var lasting: Set<GroupHistory.Key> {
      let own: Set<GroupHistory.Key> =
        switch custody {
        case .secretService: []
        case .passphrase: [.passphrase]
        case .keyFile: [.keyFile]
        }
      return hasRecoveryCode ? own.union([.recoveryCode]) : own
    }
  }

  /// Writes a copy of the group file to a path that does not exist yet.
  ///
  /// The copy is as well protected as the group: the present key of the group opens it, and the
  /// passphrase, the key file and the recovery code of today do. The next sign-out destroys the
  /// key.
  package func write(to path: String) throws(VaultError) -> Keys {
    bestEffort("a copy without the name can be restored; only its origin is not checked") {
      guard try session.read({ try $0.groupName() }) != group.description else { return }
      try session.write { try $0.setGroupName(group.description) }
    }
    let (keys, generation) = try copy(to: path)
    bestEffort("the copy is complete, and only `group show` does not know of it") {
      let time = session.now
      try session.write { transaction in
        try transaction.changeHistory {
          $0.backup = .init(
            time: time, generation: generation, path: path, keys: keys.lasting)
        }
      }
    }
    return keys
  }

  private func copy(
    to path: String
  ) throws(VaultError) -> (keys: Keys, generation: UInt64) {
    try session.withGroup { group in
      // A damaged group must not become the only copy that a user has. A damaged history is no
      // obstacle: the backup that is recorded next replaces it.
      guard try group.read({ try $0.verify() }).isComplete else {
        throw StoreError.damaged(rows: nil)
      }
      try GroupBackup.write(group, to: path)
      let keys = Keys(
        custody: group.header.custody,
        hasRecoveryCode: try group.read { try $0.hasSlot(.recovery) })
      return (keys, group.header.generation)
    }
  }
}
