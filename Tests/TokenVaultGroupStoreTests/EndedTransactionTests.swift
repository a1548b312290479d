import Testing

@testable import TokenVaultGroupStore

/// After some errors, SQLite ends a transaction in the middle.
@Suite(.timeLimit(.minutes(2))) struct EndedTransactionTests {
  /// Otherwise a rotation that goes on after damage would put a key into force, statement by statement,
  /// under which no account is readable.
  @Test func nothingIsWrittenAfterSQLiteHasEndedATransaction() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) { transaction in
      try SampleGroup.add(SampleGroup.alice, to: transaction)
    }
    let opened = try group.open()
    let database = opened.database
    var first: StoreError?
    let last = #expect(throws: StoreError.self) {
      try opened.write { transaction in
        try database.setMeta(98, [1])
        try database.execute("PRAGMA max_page_count=1")
        do throws(StoreError) {
          try database.setMeta(99, [UInt8](repeating: 0, count: 1 << 20))
        } catch { first = error }
        try database.setMeta(97, [1])
      }
    }
    #expect(first == .diskFull)
    #expect(last == .io(call: "sqlite", code: 1004))
    #expect(!opened.isLastCommitInDoubt)
    try group.open().read { transaction in
      let rows = try [Int64(97), 98, 99].filter { try transaction.database.meta($0) != nil }
      #expect(rows.isEmpty)
      let damaged = try transaction.forEachAccount { _ in }
      #expect(damaged == 0)
    }
  }
}
