// The keyring may lose a deletion in a power cut. Every deletion of an old key is therefore checked
// once more in a later boot.
extension GroupTransaction {
  /// Records that the custodian was found to no longer have the keys of these generations.
  package func confirmDeletion(of generations: [UInt64]) {
    state.pendingDeletions.removeAll { generations.contains($0) }
  }

  /// Whether any deletion has yet to be checked.
  package var hasDeletionChecks: Bool { !state.deletionChecks.isEmpty }

  /// Whether a deletion of another boot than `boot` has yet to be checked. Such a check is due: the
  /// keyring now has exactly the keys that its disk had when this boot began.
  package func hasDueDeletionChecks(boot: String) -> Bool {
    state.deletionChecks.contains { $0.boot != boot }
  }

  /// Removes the due checks and their wrapped successor keys.
  ///
  /// Before this, the caller must have listed the keyring's keys in `boot`, and, if the keyring is
  /// to hold the current key, have read that key from it.
  /// - Parameter generation: the newest old key that the keyring still had and that is now deleted,
  ///   which the next power cut may undo again; nil if there was none.
  package func completeDueDeletionChecks(boot: String, deleted generation: UInt64?)
    throws(StoreError)
  {
    try removeWrappedSuccessorKeys(
      of: state.deletionChecks.filter { $0.boot != boot }.map(\.generation))
    state.deletionChecks.removeAll { $0.boot != boot }
    if let generation { scheduleDeletionCheck(of: generation, boot: boot) }
  }

  /// Postpones all checks to the boot after `boot`.
  package func postponeDeletionChecks(boot: String) {
    for index in state.deletionChecks.indices { state.deletionChecks[index].boot = boot }
  }

  /// Postpones all checks, with their wrapped successor keys, to the boot after `boot`, and records
  /// the keys of `generations` as yet to be deleted. Call this after storing the current key in the
  /// keyring again: a power cut may undo that, too.
  package func renewDeletionChecks(boot: String, deleting generations: [UInt64]) {
    postponeDeletionChecks(boot: boot)
    state.pendingDeletions = Set(state.pendingDeletions).union(generations).sorted()
  }

  /// Schedules a check, in a later boot than `boot`, that the keys up to `generation` are deleted.
  func scheduleDeletionCheck(of generation: UInt64, boot: String) {
    guard !state.deletionChecks.contains(where: { $0.boot == boot }) else { return }
    state.deletionChecks.append(GroupState.DeletionCheck(generation: generation, boot: boot))
  }
}
