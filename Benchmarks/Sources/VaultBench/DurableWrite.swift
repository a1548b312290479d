import CSQLitePeer
import Glibc
import TokenVault

/// Compares a durable write of one 4 KB secret to an open vault with a write of the same bytes to a
/// bare SQLite table that has the same journal mode and durability.
enum DurableWrite {
  static func run(directory: String, environment: [String: String], runs: Int) async throws -> (
    vault: Sample, bare: Sample
  ) {
    let group: GroupName = "dev.tokenvault.shared"
    let vault = Vault(try VaultConfiguration(group: group, environment: environment))
    let service: ServiceURL = "https://bench.example.com"
    let secret = [UInt8](repeating: 0x73, count: 4096)
    let bare = try BareTable(path: directory + "/bare.sqlite")
    var samples = (Sample(), Sample())
    for run in 0..<(runs + 5) {
      let start = now()
      try await vault.setSecret(Redacted(secret), for: service, username: "bench")
      let middle = now()
      try bare.write(secret)
      let end = now()
      if run >= 5 {
        samples.0.add(seconds: middle - start)
        samples.1.add(seconds: end - middle)
      }
    }
    return samples
  }
}

/// A SQLite table with one row, which each write replaces durably.
final class BareTable {
  private var database: OpaquePointer?
  private var statement: OpaquePointer?

  init(path: String) throws {
    guard sqlite3_open(path, &database) == SQLITE_OK,
      sqlite3_exec(
        database,
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;"
          + "CREATE TABLE t(id INTEGER PRIMARY KEY, value BLOB)", nil, nil, nil) == SQLITE_OK,
      sqlite3_prepare_v2(
        database, "INSERT OR REPLACE INTO t(id, value) VALUES(1, ?)", -1, &statement, nil)
        == SQLITE_OK
    else { throw Command.Failed(arguments: ["sqlite"], status: -1) }
  }

  func write(_ bytes: [UInt8]) throws {
    guard sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK else {
      throw Command.Failed(arguments: ["begin"], status: -1)
    }
    bytes.withUnsafeBytes {
      _ = sqlite3_bind_blob(statement, 1, $0.baseAddress, Int32($0.count), nil)
      _ = sqlite3_step(statement)
      _ = sqlite3_reset(statement)
    }
    guard sqlite3_exec(database, "COMMIT", nil, nil, nil) == SQLITE_OK else {
      throw Command.Failed(arguments: ["commit"], status: -1)
    }
  }

  deinit {
    sqlite3_finalize(statement)
    sqlite3_close_v2(database)
  }
}
