extension Database {
  // An index that SQLite creates for a UNIQUE or PRIMARY KEY column has no text.
  static let schemaQuery = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL OR type <> 'index'"

  /// Refuses a file whose schema is not exactly that of the format.
  ///
  /// A trigger, a view or a further table could keep what a sign-out deletes. The text is compared,
  /// because the schema cookie can be set back with `PRAGMA schema_version`.
  /// - Throws: ``StoreError/damaged(rows:)``.
  func requireExpectedSchema() throws(StoreError) {
    let query = try statement(Self.schemaQuery)
    defer { query.reset() }
    var rest = Format.schemaStatements
    while try query.step() {
      guard let index = rest.firstIndex(of: query.text(0)) else { throw .damaged(rows: nil) }
      rest.remove(at: index)
    }
    guard rest.isEmpty else { throw .damaged(rows: nil) }
  }
}
