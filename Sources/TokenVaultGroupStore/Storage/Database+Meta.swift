extension Database {
  /// The value of a row of the table `meta`, or nil if there is no such row.
  func meta(_ id: Int64) throws(StoreError) -> [UInt8]? {
    let query = try statement("SELECT value FROM meta WHERE id = ?")
    try query.bind(1, id)
    guard try query.step() else { return nil }
    defer { query.reset() }
    return query.bytes(0)
  }

  func setMeta(_ id: Int64, _ value: [UInt8]) throws(StoreError) {
    let change = try statement("INSERT OR REPLACE INTO meta(id, value) VALUES(?, ?)")
    try change.bind(1, id)
    try change.bind(2, value)
    try change.run()
  }

  func removeMeta(_ id: Int64) throws(StoreError) {
    let change = try statement("DELETE FROM meta WHERE id = ?")
    try change.bind(1, id)
    try change.run()
  }
}
