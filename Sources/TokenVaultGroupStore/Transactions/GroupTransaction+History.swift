import TokenVaultCrypto

// Sealed like the directory of names, which a rotation leaves as it is; a renewal has to remove it.
extension GroupTransaction {
  /// Records the history of the group; nil removes it. The state has the row's GCM tag, so that an
  /// older version of the row is not taken for the present one.
  package func setHistory(_ history: GroupHistory?) throws(StoreError) {
    let row = Format.Meta.history.rawValue
    guard let history else {
      state.seals[row] = nil
      return try database.removeMeta(row)
    }
    let sealed = try keys.rows.sealRow(
      Padding.pad(history.encoded()), header.associatedData(.history))
    try database.setMeta(row, sealed)
    // A file of format version 1 has no place for it.
    if header.version > 1 { state.seals[row] = Array(sealed.suffix(16)) }
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
    let row = Format.Meta.history.rawValue
    let (sealed, seal) = (try database.meta(row), state.seals[row])
    // An earlier program recorded no tag.
    guard seal == nil || seal == sealed.map({ Array($0.suffix(16)) }) else {
      throw .damaged(rows: nil)
    }
    guard let sealed else { return GroupHistory() }
    return try GroupHistory(
      encoded: try Padding.unpad(try keys.rows.openRow(sealed, header.associatedData(.history))))
  }
}
