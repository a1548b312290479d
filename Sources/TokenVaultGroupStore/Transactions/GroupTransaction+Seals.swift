// The rows of `meta` that are in no digest open under a key that stays valid until the next sign-out
// or renewal. The state has the GCM tag of each, so that an older version is not taken for the present
// one.
extension GroupTransaction {
  /// Stores a sealed row; nil removes it.
  func setSealed(_ row: Format.Meta, _ sealed: [UInt8]?) throws(StoreError) {
    guard let sealed else {
      state.seals[row.rawValue] = nil
      return try database.removeMeta(row.rawValue)
    }
    try database.setMeta(row.rawValue, sealed)
    state.seals[row.rawValue] = Array(sealed.suffix(16))
  }

  /// A sealed row; nil if there is none.
  /// - Throws: ``StoreError/damaged(rows:)`` if it is missing or an older one. A row of which the state
  ///   has no tag was written by an earlier program, or is in a file of format version 1.
  func sealed(_ row: Format.Meta) throws(StoreError) -> [UInt8]? {
    let (sealed, seal) = (try database.meta(row.rawValue), state.seals[row.rawValue])
    guard seal == nil || seal == sealed.map({ Array($0.suffix(16)) }) else {
      throw .damaged(rows: 1)
    }
    return sealed
  }
}
