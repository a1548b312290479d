import Foundation
import Testing
import TokenVaultCrypto

@testable import TokenVaultGroupStore

/// Another program changes the schema of a group file, so that SQLite itself keeps what is erased.
@Suite(.timeLimit(.minutes(2))) struct SchemaTests {
  private static let changes = [
    "CREATE TABLE kept(a); CREATE TRIGGER keep AFTER DELETE ON record"
      + " BEGIN INSERT INTO kept VALUES(old.sealed); END",
    "CREATE TRIGGER keep AFTER UPDATE ON account_key"
      + " BEGIN INSERT INTO meta VALUES(NULL, old.wrapped); END",
    "CREATE TABLE other(a)",
    "CREATE INDEX more ON record(sealed)",
    "DROP INDEX record_account",
    "ALTER TABLE record ADD COLUMN old BLOB",
    "ALTER TABLE record RENAME TO r; CREATE VIEW record AS SELECT * FROM r",
    "CREATE VIEW all_names AS SELECT * FROM name",
    "ANALYZE",
    "PRAGMA writable_schema=ON;"
      + " UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL)', 'NOT NULL, b)')"
      + " WHERE name = 'record'",
  ]

  @Test(arguments: changes) func aChangedSchemaIsDamage(change: String) throws {
    let scratch = try Scratch()
    let fresh = try FreshGroup(scratch("g.vault"))
    try Self.change(fresh.path, change)
    #expect(throws: StoreError.damaged(rows: nil)) { _ = try fresh.open() }
  }

  /// The schema cookie proves nothing: one PRAGMA sets it back.
  @Test(arguments: changes) func anOpenGroupRefusesToWriteOverAChangedSchema(
    change: String
  ) throws {
    let scratch = try Scratch()
    let fresh = try FreshGroup(scratch("g.vault")) {
      try SampleGroup.add(SampleGroup.alice, to: $0)
    }
    let group = try fresh.open()
    try group.write { _ in }
    try Self.change(fresh.path, change)
    let before = try contents(fresh.path)
    #expect(throws: StoreError.damaged(rows: nil)) {
      try group.write { transaction in
        Issue.record("the transaction began")
        _ = try transaction.rotate(
          to: GenerationKey(for: .secretService, of: transaction.header.groupID),
          erasing: transaction.accounts(named: []), boot: "boot", deletesOldKey: true)
      }
    }
    #expect(throws: StoreError.damaged(rows: nil)) { _ = try group.read { try $0.verify() } }
    #expect(try contents(fresh.path) == before)
  }

  private static func change(_ path: String, _ sql: String) throws {
    let python = Process()
    python.executableURL = URL(filePath: "/usr/bin/python3")
    python.arguments = [
      "-c",
      """
      import sqlite3, sys
      file = sqlite3.connect(sys.argv[1], timeout=10)
      cookie = file.execute("PRAGMA schema_version").fetchone()[0]
      file.executescript(sys.argv[2])
      file.execute(f"PRAGMA schema_version={cookie}")
      file.commit()
      file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      """, path, sql,
    ]
    try python.run()
    python.waitUntilExit()
    #expect(python.terminationStatus == 0)
  }
}
