import TokenVaultModel

@testable import TokenVaultGroupStore

/// Changes of single rows, which leave the file sound for SQLite: rows that are moved, swapped,
/// copied, removed or overwritten by an attacker who does not have the key.
///
/// An input is a list of changes: the number of a statement, its two row numbers, and the length of
/// its bytes, each in one byte, and the bytes.
enum RowChanges {
  private static let statements = [
    "UPDATE record SET account = ?2 WHERE id = ?1",
    "UPDATE record SET sealed = ?3 WHERE id = ?1",
    "UPDATE record SET sealed = (SELECT sealed FROM record WHERE id = ?2) WHERE id = ?1",
    "UPDATE OR REPLACE record SET id = ?2 WHERE id = ?1",
    "INSERT OR REPLACE INTO record SELECT ?1, account, sealed FROM record WHERE id = ?2",
    "DELETE FROM record WHERE id = ?1",
    "UPDATE OR REPLACE account SET tag = ?3 WHERE id = ?1",
    "UPDATE account SET sheet = ?3 WHERE id = ?1",
    "UPDATE account SET sheet = (SELECT sheet FROM account WHERE id = ?2) WHERE id = ?1",
    "UPDATE OR REPLACE account SET tag = (SELECT tag FROM account WHERE id = ?2) WHERE id = ?1",
    "UPDATE OR REPLACE account SET id = ?2 WHERE id = ?1",
    "INSERT OR REPLACE INTO account SELECT ?1, ?3, sheet FROM account WHERE id = ?2",
    "DELETE FROM account WHERE id = ?1",
    "UPDATE account_key SET key_id = ?3 WHERE id = ?1",
    "UPDATE account_key SET wrapped = ?3 WHERE id = ?1",
    "UPDATE account_key SET (key_id, wrapped) = "
      + "(SELECT key_id, wrapped FROM account_key WHERE id = ?2) WHERE id = ?1",
    "UPDATE OR REPLACE account_key SET id = ?2 WHERE id = ?1",
    "DELETE FROM account_key WHERE id = ?1",
    "UPDATE name SET sealed = ?3",
    "UPDATE name SET sealed = (SELECT sealed FROM name ORDER BY tag LIMIT 1 OFFSET ?2)",
    "UPDATE OR REPLACE name SET tag = ?3",
    "DELETE FROM name WHERE tag = (SELECT tag FROM name ORDER BY tag LIMIT 1 OFFSET ?2)",
    "INSERT OR REPLACE INTO meta VALUES(?1, ?3)",
    "INSERT OR REPLACE INTO meta SELECT ?1, value FROM meta WHERE id = ?2",
    "DELETE FROM meta WHERE id = ?1",
    "UPDATE meta SET value = substr(value, 1, ?2) || ?3 WHERE id = ?1",
    "UPDATE account SET sheet = CAST(?3 AS TEXT) WHERE id = ?1",
    "UPDATE record SET account = CAST(?3 AS TEXT) WHERE id = ?1",
    "UPDATE meta SET value = CAST(value AS TEXT) WHERE id = ?1",
    "INSERT OR REPLACE INTO meta VALUES(1000 + ?1, ?3)",
  ]

  static func read(_ input: [UInt8]) {
    KnownGroup.writeTemplate()
    do { try change(input) } catch { preconditionFailure("\(error)") }
    KnownGroup.examine(isForged: false)
  }

  private static func change(_ input: [UInt8]) throws {
    let database = try Database(path: KnownGroup.path, busyMilliseconds: 0)
    try database.execute("BEGIN")
    var rest = input[...]
    for _ in 0..<8 {
      guard rest.count >= 4 else { break }
      let (head, tail) = (Array(rest.prefix(4)), rest.dropFirst(4))
      rest = tail.dropFirst(Int(head[3]))
      let sql = statements[Int(head[0]) % statements.count]
      let statement = try database.statement(sql)
      if sql.contains("?1") { try statement.bind(1, Int64(Int8(bitPattern: head[1]))) }
      if sql.contains("?2") { try statement.bind(2, Int64(Int8(bitPattern: head[2]))) }
      if sql.contains("?3") { try statement.bind(3, Array(tail.prefix(Int(head[3])))) }
      // A constraint may refuse the change; the row then stays as it was.
      do { try statement.run() } catch { continue }
    }
    try database.execute("COMMIT")
  }
}
