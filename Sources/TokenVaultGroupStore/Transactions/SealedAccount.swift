/// The rows of one account in the tables `account` and `account_key`, as they are in the file.
struct SealedAccount {
  let id: Int64
  let tag: [UInt8]
  let record: [UInt8]
  /// Empty, like ``wrappedKey``, if the account has no row in `account_key`.
  let keyID: [UInt8]
  let wrappedKey: [UInt8]
  /// The GCM tag of the record.
  var seal: [UInt8] { Array(record.suffix(16)) }
}

extension SealedAccount {
  static let selection =
    "SELECT a.id, a.tag, a.sheet, k.key_id, k.wrapped FROM account a "
    + "LEFT JOIN account_key k ON k.id = a.id"

  /// The row at which a query for ``selection`` is.
  init(_ query: Statement) {
    self.init(
      id: query.int64(0), tag: query.bytes(1), record: query.bytes(2), keyID: query.bytes(3),
      wrappedKey: query.bytes(4))
  }
}

extension GroupTransaction {
  /// The account with the next greater row number; nil if there is none.
  /// - Throws: ``StoreError/damaged(rows:)`` also if the rows of a page are out of order: a loop over
  ///   all accounts would not end.
  func account(after row: Int64) throws(StoreError) -> SealedAccount? {
    let query = try database.statement(
      SealedAccount.selection + " WHERE a.id > ? ORDER BY a.id LIMIT 1")
    try query.bind(1, row)
    guard try query.step() else { return nil }
    defer { query.reset() }
    guard query.int64(0) > row else { throw .damaged(rows: nil) }
    return SealedAccount(query)
  }
}
