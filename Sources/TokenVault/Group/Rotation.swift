import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultCrypto
import TokenVaultModel

/// Moves a group to its next key: store the new key and read it back, commit, delete the old key
/// and see that it is gone. A crash between any two of these leaves the group readable and the
/// erasure either whole or not begun.
struct Rotation {
  private let configuration: VaultConfiguration
  private let custodian: SecretServiceCustodian

  init(_ configuration: VaultConfiguration) {
    self.configuration = configuration
    custodian = KeyRetrieval(configuration: configuration).custodian
  }

  /// What a rotation left behind, if anything.
  struct Outcome {
    var report = RotationReport()
    /// False while another process reads an older snapshot.
    var logIsEmpty = true
    /// Why the old key may still be in the Secret Service, or why the file could not note that it
    /// is gone; nil when all is done.
    var oldKeyFailure: (any Error)?
    /// Why the kernel keyring may still hold the old key.
    var kernelFailure: CustodyError?
    /// Whether a crash had left copies of the group file, which are removed.
    var hadStaleCopies = false
    /// Why one of them is still there.
    var staleCopyFailure: (any Error)?
  }

  /// Runs `change` and moves the group on, in one transaction.
  ///
  /// The caller holds the group's lock.
  /// - Parameters:
  ///   - custody: where the new key goes; nil for where the present one is.
  ///   - finally: what belongs to the step once the new key is in force.
  ///   - change: what belongs to the step before; it gives the accounts to erase.
  func run(
    _ group: UnlockedGroup, to custody: GroupHeader.Custody? = nil,
    finally: (GroupTransaction) throws -> Void = { _ in },
    _ change: (GroupTransaction) throws -> [StoredAccount]
  ) throws -> Outcome {
    // Before the lock was had, another process may have moved the group on: what would be deleted
    // below as a stale copy would then be the key in force.
    guard group.isInPlace else { throw StoreError.generationChanged }
    try group.read { _ in }
    let old = GroupKeyID(groupID: group.header.groupID, generation: group.header.generation)
    let new = GroupKeyID(groupID: old.groupID, generation: old.generation + 1)
    let key = try SecretBytes.random(count: 32)
    let leavesKeyring = group.header.custody == .secretService
    let entersKeyring = (custody ?? group.header.custody) == .secretService
    let boot = try configuration.bootIdentifier()
    if entersKeyring {
      if try custodian.generations(of: old.groupID).contains(new.generation) {
        // Left by a rotation that ended before its commit, or in a commit that failed and may still
        // come back from the log, when the key may be all that opens the group. A commit of our
        // own takes that one's place in the log; only then is the key nobody's.
        try group.write { _ in }
        try custodian.delete(new)
      }
      try custodian.store(key, as: new)
    }
    var outcome = Outcome()
    // Before the commit: after a crash behind it nobody would look for the old key there.
    var seconds: UInt32?
    do { seconds = try takeKernelKey(old) } catch { outcome.kernelFailure = error }
    do {
      outcome.report = try group.write { transaction in
        let accounts = try change(transaction)
        let report = try transaction.rotate(
          to: key, erasing: accounts, boot: boot, wrapsSuccessorKey: entersKeyring,
          deletesOldKey: leavesKeyring)
        try finally(transaction)
        return report
      }
    } catch {
      // The commit did not happen, so nothing needs the new key; if it stays, the next rotation
      // deletes it. A commit that failed in a system call may still come back from the log, and
      // its key stays for that.
      if entersKeyring, !Self.isInDoubt(error) {
        // The first error is the one to tell of.
        do { try custodian.delete(new) } catch { _ = error }
      }
      throw error
    }
    // The change is in force from here on. What fails now is told in the outcome, since an error
    // would say that nothing happened.
    do { outcome.logIsEmpty = try group.truncateLog() } catch { outcome.logIsEmpty = false }
    if let seconds, seconds > 0 {
      do { try KernelKeyring.keep(key, as: new, seconds: seconds) } catch {
        outcome.kernelFailure = error
      }
    }
    do { try finish(group, boot: boot) } catch { outcome.oldKeyFailure = error }
    return outcome
  }

  private static func isInDoubt(_ error: any Error) -> Bool {
    if case StoreError.io = error { return true }
    return false
  }

  /// Finishes an interrupted sign-out or rekey when the group is opened, before anything is served.
  func resume(_ group: UnlockedGroup) throws {
    let (isPending, hasSuccessors) = try group.read { transaction in
      (!transaction.state.pendingDeletions.isEmpty, transaction.hasWrappedSuccessors)
    }
    guard isPending || hasSuccessors else { return }
    let boot = try configuration.bootIdentifier()
    guard try isPending || group.read({ $0.hasOldWrappedSuccessors(boot: boot) }) else { return }
    do {
      try FileLock.hold(configuration.lockPath, waiting: 0) {
        do { try finish(group, boot: boot) } catch CustodyError.timedOut
          where !isPending && group.header.custody != .secretService
        {
          // A group that has left the keyring must not wait for it at each open.
          try group.write { $0.postponeLook(boot: boot) }
        }
      }
    } catch StoreError.busy {
      // The process that holds the lock is finishing it.
    } catch is CustodyError {
      // The sign-out reported what was left. A keyring that still does not delete must not keep the
      // accounts from being used; the next open tries again.
    }
  }

  /// Deletes what a rotation leaves to delete, verifies it, and notes it in the file.
  func finish(_ group: UnlockedGroup, boot: String) throws {
    let generation = group.header.generation
    let groupID = group.header.groupID
    let (pending, oldWrappedSuccessors) = try group.read {
      ($0.state.pendingDeletions, $0.hasDueDeletionChecks(boot: boot))
    }
    var stale = Set(pending)
    if oldWrappedSuccessors {
      let kept = try custodian.generations(of: groupID)
      // Opened by other means than the keyring, which has lost the key: the wrapped successor keys, and the old
      // keys that they lead out of, are the way back.
      guard group.header.custody != .secretService || kept.contains(generation) else { return }
      // A power cut may have brought back keys whose deletion was confirmed before.
      stale.formUnion(kept.filter { $0 < generation })
    }
    for old in stale.sorted() {
      try custodian.delete(GroupKeyID(groupID: groupID, generation: old))
    }
    guard !stale.isEmpty || oldWrappedSuccessors else { return }
    try group.write { transaction in
      transaction.confirmDeletion(of: Array(stale))
      if oldWrappedSuccessors {
        try transaction.completeDueDeletionChecks(boot: boot, deleted: stale.max())
      }
    }
    _ = try group.truncateLog()
  }

  /// Takes the key out of the kernel keyring.
  /// - Returns: for how much longer the group was unlocked, which it stays under its new key.
  private func takeKernelKey(_ id: GroupKeyID) throws(CustodyError) -> UInt32? {
    let seconds = try KernelKeyring.secondsLeft(id)
    try KernelKeyring.forget(id)
    return seconds
  }
}
