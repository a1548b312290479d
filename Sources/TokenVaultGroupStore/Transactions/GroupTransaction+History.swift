import TokenVaultCrypto

// Sealed like the directory of names, which a rotation leaves as it is; a renewal has to remove it.
extension GroupTransaction {
  /// Records the history of the group; nil removes it.
  package func setHistory(_ history: GroupHistory?) throws(StoreError) {
    guard let history else { return try setSealed(.history, nil) }
    try setSealed(
      .history,
      keys.rows.sealRow(Padding.pad(history.encoded()), header.associatedData(.history)))
  }

  /// Changes the history. A damaged one is replaced by a new one: what it said is lost.
  package func changeHistory(_ change: (inout GroupHistory) -> Void) throws(StoreError) {
    var history = try soundHistory() ?? GroupHistory()
    change(&history)
    try setHistory(history)
  }

  /// The recorded history; nil if it is damaged.
  package func soundHistory() throws(StoreError) -> GroupHistory? {
    do { return try history() } catch .damaged { return nil } catch { throw error }
  }

  /// The recorded history, which may be empty.
  package func history() throws(StoreError) -> GroupHistory {
    guard let sealed = try sealed(.history) else { return GroupHistory() }
    return try GroupHistory(
      encoded: try Padding.unpad(try keys.rows.openRow(sealed, header.associatedData(.history))))
  }
}
