import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSystem

/// Moves a group to its next key, in this order: store the parts of the new key and read them back,
/// commit, delete the parts of the old key and verify that they are gone. A crash between any two of
/// these steps leaves the group readable, and the erasure either complete or not begun. The commit is
/// prepared while the parts are stored.
struct Rotation {
  private let configuration: VaultConfiguration
  private let parts: KeyPartStore

  init(_ configuration: VaultConfiguration) {
    self.configuration = configuration
    parts = KeyPartStore(configuration)
  }

  /// The result of a rotation, with everything that it could not remove.
  struct Outcome {
    var report = RotationReport()
    /// False while another process reads an older snapshot.
    var logIsEmpty = true
    /// The reason why the old key may still be in the Secret Service, or why the file could not
    /// record that it is gone; nil if both are done.
    var oldKeyFailure: (any Error)?
    /// The reason why a former device part may still be on this device.
    var devicePartFailure: CustodyError?
    /// The reason why the kernel keyring may still have the old key.
    var kernelFailure: (any Error)?
    /// Whether a crash had left copies of the group file. They are removed.
    var hadStaleCopies = false
    /// The reason why one of those copies still exists.
    var staleCopyFailure: (any Error)?
  }

  /// Runs `change` and moves the group to its next key, in one transaction.
  ///
  /// The caller holds the group's lock.
  /// - Parameters:
  ///   - group: The open group.
  ///   - custody: The custody of the new key; nil for the present one.
  ///   - finally: Changes to make in the transaction under the new key, when it is stored.
  ///   - committed: Called as soon as the change is in force, before the former key is deleted.
  ///   - change: Changes to make in the transaction under the present key; it returns the accounts to
  ///     erase. If the keyring is slow, it is called in a second transaction, after the first one was
  ///     rolled back.
  func run(
    _ group: UnlockedGroup, to custody: GroupHeader.Custody? = nil,
    finally: (GroupTransaction) throws -> Void = { _ in }, committed: () -> Void = {},
    _ change: (GroupTransaction) throws -> [StoredAccount]
  ) throws -> Outcome {
    // While this process waited for the lock, another may have rotated the key. The key that is
    // deleted below as stale would then be the one in force.
    guard group.isInPlace else { throw StoreError.generationChanged }
    try group.read { _ in }
    let old = GroupKeyID(groupID: group.header.groupID, generation: group.header.generation)
    let next = GroupKeyID(groupID: old.groupID, generation: old.generation + 1)
    let key = try GenerationKey(
      for: custody ?? group.header.custody, of: group.header.groupID)
    let leavesKeyring = group.header.custody == .secretService
    if leavesKeyring || key.parts != nil { try SecretServiceCustodian.requireDescriptors() }
    if key.parts != nil { try SecretServiceCustodian.requireThreads() }
    let boot = try configuration.bootIdentifier()
    let storing = try key.parts.map { new in
      try removeUnused(next, of: group)
      return KeyStoring(new, as: next, in: parts)
    }
    var outcome = Outcome()
    var seconds: UInt32?
    let report = try commit(storing, as: next, of: group) { transaction, patience in
      let accounts = try change(transaction)
      let report = try transaction.rotate(
        to: key, erasing: accounts, boot: boot, deletesOldKey: leavesKeyring)
      try storing?.wait(until: patience)
      // This precedes the commit: after a crash that follows the commit, no later step would look for
      // the old key in the kernel keyring.
      do { seconds = try takeKernelKey(old) } catch { outcome.kernelFailure = error }
      try finally(transaction)
      return report
    }
    outcome.report = report
    committed()
    // The change is in force from here on. Later failures are reported in the outcome, because a
    // thrown error would mean that nothing was changed.
    do { outcome.logIsEmpty = try group.truncateLog() } catch { outcome.logIsEmpty = false }
    if let seconds, seconds > 0 {
      do { try KernelKeyring.keep(key.key, as: next, seconds: seconds) } catch {
        outcome.kernelFailure = error
      }
    }
    do { try finish(group, boot: boot, devicePartFailure: &outcome.devicePartFailure) } catch {
      outcome.oldKeyFailure = error
    }
    return outcome
  }

  /// How long the file is locked before the keyring must have stored the key, in milliseconds. Other
  /// processes wait for the lock for 10 s.
  private static let patience = 1_000

  /// Runs a transaction that waits until the deadline for the key to be stored, and again if it is stored
  /// only later.
  private func commit(
    _ storing: KeyStoring?, as next: GroupKeyID, of group: UnlockedGroup,
    _ move: (GroupTransaction, Deadline) throws -> RotationReport
  ) throws -> RotationReport {
    func attempt() throws -> RotationReport {
      try group.write { try move($0, Deadline(milliseconds: Self.patience)) }
    }
    do {
      do { return try attempt() } catch is KeyStoring.Unfinished {
        // A keyring may be slow, or ask the user. Other processes can write meanwhile.
        try storing?.wait()
        return try attempt()
      }
    } catch {
      // The commit did not happen, so the new key is not needed; if it stays, the next rotation
      // deletes it. A commit that failed late may still come back from the log, so the parts of its
      // key stay.
      if storing?.isStoredInTheEnd == true, !group.isLastCommitInDoubt { parts.discard(next) }
      throw error
    }
  }

  /// Deletes the parts of a key that is not in force.
  private func removeUnused(_ next: GroupKeyID, of group: UnlockedGroup) throws {
    guard try parts.contains(next) else { return }
    // This key is from a rotation that ended before its commit, or whose commit failed and may still
    // come back from the log; in that case the key may be the only one that opens the group. A commit
    // of this process takes the place of that commit in the log; only after it is the key certainly
    // unused.
    try group.write { _ in }
    try parts.delete(next)
  }

  /// Finishes an interrupted sign-out or rekey when the group is opened, before any data is served.
  func resume(_ group: UnlockedGroup) throws {
    let (isPending, hasSuccessors) = try group.read { transaction in
      (!transaction.state.pendingDeletions.isEmpty, transaction.hasDeletionChecks)
    }
    guard isPending || hasSuccessors else { return }
    let boot = try configuration.bootIdentifier()
    guard try isPending || group.read({ $0.hasDueDeletionChecks(boot: boot) }) else { return }
    do {
      try FileLock.hold(configuration.lockPath, waiting: 0) {
        var left: CustodyError?
        do { try finish(group, boot: boot, devicePartFailure: &left) } catch CustodyError.timedOut
          where !isPending && group.header.custody != .secretService
        {
          // A group that has left the keyring must not wait for it each time that it is opened.
          try group.write { $0.postponeDeletionChecks(boot: boot) }
        }
      }
    } catch StoreError.busy {
      // The process that holds the lock is finishing it.
    } catch StoreError.readOnly {
      // A read-only file system must not make the accounts unusable; the next open that can write tries
      // again.
    } catch is CustodyError {
      // The sign-out reported the key that is left. A keyring that still does not delete it must
      // not make the accounts unusable; the next open tries again.
    }
  }

  /// Deletes the parts of the keys that a rotation left, verifies the deletion, and records it in
  /// the file.
  /// - Parameter devicePartFailure: The reason why a former device part may still be on this device.
  ///   Nothing is recorded then. An error means the same of the keyring's part, or of the record.
  func finish(
    _ group: UnlockedGroup, boot: String, devicePartFailure failure: inout CustodyError?
  ) throws {
    let generation = group.header.generation
    let groupID = group.header.groupID
    let (pending, hasDueChecks) = try group.read {
      ($0.state.pendingDeletions, $0.hasDueDeletionChecks(boot: boot))
    }
    guard !pending.isEmpty || hasDueChecks else { return }
    // No file of a former generation is of use to anyone, and a power cut may have brought one back.
    // A failure must not keep the former key in the keyring.
    do throws(CustodyError) {
      try parts.deleteDeviceParts(of: groupID, before: generation)
    } catch { failure = error }
    var stale = Set(pending)
    if hasDueChecks {
      let kept = try parts.keyring.generations(of: groupID)
      // The keyring has lost the key, and the group was opened by other means. The wrapped
      // successor keys, and the old keys that unwrap them, are then the only way back.
      guard group.header.custody != .secretService || kept.contains(generation) else { return }
      // A power cut may have brought back keys whose deletion was confirmed before.
      stale.formUnion(kept.filter { $0 < generation })
    }
    for old in stale.sorted() {
      try parts.keyring.delete(GroupKeyID(groupID: groupID, generation: old))
    }
    guard failure == nil else { return }
    try group.write { transaction in
      transaction.confirmDeletion(of: Array(stale))
      if hasDueChecks {
        try transaction.completeDueDeletionChecks(boot: boot, deleted: stale.max())
      }
    }
    _ = try group.truncateLog()
  }

  /// Removes the group's keys from the kernel keyring.
  /// - Returns: The number of seconds for which the group remains unlocked, under its new key; nil
  ///   if it was not unlocked.
  private func takeKernelKey(_ id: GroupKeyID) throws -> UInt32? {
    let seconds = try KernelKeyring.secondsLeft(id)
    try KernelUnlock.forget(id.groupID, configuration)
    return seconds
  }
}
