import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault
@testable import TokenVaultGroupStore

/// Another program changes a group file. The program and the second implementation of the format
/// refuse the same files and the same accounts, and the second one detects every change.
@Suite(.timeLimit(.minutes(5))) struct SecondReaderDamageTests {
  private let reader: VaultReader
  private let vault: TestVault
  private let key: [UInt8]
  private let parts: [String: String]
  private let content: GroupContent
  private let older: Data
  private let present: Data

  init() throws {
    reader = try VaultReader()
    vault = try TestVault()
    let session = vault.groupSession()
    var cache = Person.ada.cache() + Person.bob.cache()
    cache.apps = [
      MSALCache.App(
        clientID: Clients.cli, environment: "login.microsoftonline.com", familyID: "")
    ]
    try session.importCache(cache)
    try session.addSecret(Redacted(text: "third secret"), service: "git.example", username: "eve")
    try session.addSecret(Redacted(text: "gone secret"), service: "git.example", username: "max")
    _ = try Recovery(session).makeRecoveryCode { _ in }
    try session.signOut(["max"])
    try session.backup(to: vault.home.appending(path: "copy").path)
    session.close()
    older = try Data(contentsOf: vault.file())
    try session.setAlias("work", of: Person.ada.id)
    try session.write { try $0.changeHistory { $0.recoveryCodeMade = session.now } }
    try session.write { try $0.setExtras(Array(#"{"AppMetadata":{}}"#.utf8)) }
    content = try session.read { try GroupContent($0) }
    key = try session.withGroup { group in
      group.withKey { unsafe $0.withUnsafeBytes { unsafe [UInt8]($0) } }
    }
    let id = try session.keyID()
    parts = [
      "keyringPart": VaultReader.hexadecimal(try vault.custodian.key(id)),
      "devicePart": VaultReader.hexadecimal(try vault.parts.device.key(id)),
    ]
    session.close()
    present = try Data(contentsOf: vault.file())
    #expect(content.accounts.count == 3)
  }

  /// How far a file can be read, as the program says it.
  private enum Answer: Equatable {
    case refused(String)
    case read(GroupContent, isSound: Bool)

    var withoutSoundness: Answer {
      if case .read(let content, _) = self { .read(content, isSound: true) } else { self }
    }
  }

  private func program(_ path: String) throws -> Answer {
    do {
      let group = try LockedGroup(path: path).unlock(SecretBytes(copying: key))
      return try group.read { transaction in
        var isSound = false
        do throws(StoreError) { isSound = try transaction.verify().isSound } catch .damaged {}
        // Extras and the group's name are no part of a verification.
        do { _ = try (transaction.extras(), transaction.groupName()) } catch StoreError.damaged {
          isSound = false
        }
        return .read(try GroupContent(transaction), isSound: isSound)
      }
    } catch StoreError.damaged {
      return .refused("damaged")
    } catch StoreError.wrongKey {
      return .refused("wrong-key")
    } catch StoreError.notAGroupFile {
      return .refused("not-a-group-file")
    } catch StoreError.unsupportedVersion {
      return .refused("unsupported-version")
    } catch StoreError.unsafe { return .refused("unsafe") }
  }

  private func answer(_ reading: VaultReader.Reading) -> Answer {
    reading.error.map { .refused($0) } ?? .read(reading.content, isSound: reading.isSound)
  }

  /// A changed copy of the group's file.
  private func copy(
    _ name: String, _ change: (Database) throws -> Void
  ) throws -> (name: String, path: String) {
    let directory = vault.home.appending(path: "copies").path
    try FileSafety.makeDirectory(directory)
    let path = "\(directory)/\(UUID().uuidString).vault"
    try write(present, to: path)
    try change(try Database(path: path, busyMilliseconds: 1_000))
    return (name, path)
  }

  private func write(_ file: Data, to path: String) throws {
    try #require(
      FileManager.default.createFile(
        atPath: path, contents: file, attributes: [.posixPermissions: 0o600]))
  }

  private func copies(_ changes: [(String, String)]) throws -> [(name: String, path: String)] {
    try changes.map { name, sql in try copy(name) { try $0.execute(sql) } }
  }

  /// - Parameters:
  ///   - harmless: the changes that neither detects.
  ///   - unseen: the changes that the program's verification does not look at.
  private func compare(
    _ files: [(name: String, path: String)], harmless: Set<String> = [],
    unseen: Set<String> = []
  ) throws {
    let readings = try reader.read(
      files.map(\.path), with: parts)
    try #require(readings.count == files.count)
    for (file, reading) in zip(files, readings) {
      let (ours, its) = (try program(file.path), answer(reading))
      #expect(ours.withoutSoundness == its.withoutSoundness, "\(file.name): \(reading)")
      #expect(reading.isSound == harmless.contains(file.name), "\(file.name)")
      if case .read(_, true) = ours {
        #expect(harmless.union(unseen).contains(file.name), "\(file.name) was not detected")
      }
      for (tag, account) in reading.content.accounts {
        #expect(account == content.accounts[tag], "\(file.name)")
      }
    }
  }

  @Test func theUnchangedFileIsSoundToBoth() throws {
    let file = try copy("unchanged") { _ in }
    let reading = try reader.read(
      file.path, with: parts)
    #expect(reading.isSound, "\(reading)")
    #expect(try program(file.path) == .read(content, isSound: true))
    #expect(reading.content == content)
  }

  /// One changed bit in every value of every row.
  @Test func aChangedBitInAnyRowIsRefusedByBothAlike() throws {
    let values: [(table: String, key: String, value: String)] = [
      ("meta", "id", "value"), ("account", "id", "tag"), ("account", "id", "sheet"),
      ("account_key", "id", "key_id"), ("account_key", "id", "wrapped"), ("record", "id", "sealed"),
      ("name", "quote(tag)", "sealed"), ("name", "quote(tag)", "tag"),
    ]
    var changes: [(String, String)] = []
    _ = try copy("unchanged") { database in
      for (table, key, value) in values {
        let rows = try database.statement("SELECT \(key), \(value) FROM \(table)")
        while try rows.step() {
          let row = rows.text(0)
          for position in [rows.bytes(1).count / 2, rows.bytes(1).count - 1] {
            var bytes = rows.bytes(1)
            bytes[position] ^= 1
            let place = key == "id" ? "id = \(row)" : "tag = \(row)"
            changes.append(
              (
                "\(table) \(row) \(value) \(position)",
                "UPDATE \(table) SET \(value) = X'\(Hexadecimal.encode(bytes))' WHERE \(place)"
              ))
          }
        }
      }
    }
    #expect(changes.count > 80)
    // Only who has the device part can open a wrapped successor key.
    let unseen = changes.map(\.0).filter { $0.hasPrefix("meta 100") }
    #expect(unseen.count == 4)
    try compare(copies(changes), unseen: Set(unseen))
  }

  @Test func movedRemovedAndAddedRowsAreRefusedByBothAlike() throws {
    let swap = { (table: String, columns: [String], key: String) in
      let copied = columns.map {
        "\($0) = (SELECT \($0) FROM old WHERE old.\(key) <> \(table).\(key))"
      }
      let ids = "(SELECT \(key) FROM \(table) ORDER BY \(key) LIMIT 2)"
      return "PRAGMA writable_schema=OFF; CREATE TEMP TABLE old AS SELECT * FROM \(table) WHERE"
        + " \(key) IN \(ids); UPDATE \(table) SET \(copied.joined(separator: ", ")) WHERE \(key) IN \(ids)"
    }
    let (first, secret) = ("(SELECT min(id) FROM account)", "(SELECT min(id) FROM record)")
    try compare(
      copies([
        ("swapped account records", swap("account", ["sheet"], "id")),
        ("swapped account keys", swap("account_key", ["wrapped"], "id")),
        ("swapped keys and ids", swap("account_key", ["key_id", "wrapped"], "id")),
        ("swapped secrets", swap("record", ["sealed"], "id")),
        ("swapped names", swap("name", ["sealed"], "tag")),
        (
          "secret of another account",
          "UPDATE record SET account = account % 3 + 1 WHERE id = \(secret)"
        ),
        ("removed account", "DELETE FROM account WHERE id = \(first)"),
        ("removed account key", "DELETE FROM account_key WHERE id = \(first)"),
        ("removed secret", "DELETE FROM record WHERE id = \(secret)"),
        ("removed names", "DELETE FROM name"),
        ("removed state", "DELETE FROM meta WHERE id = 3"),
        ("removed extras", "DELETE FROM meta WHERE id = 6"),
        ("removed rotation keys", "DELETE FROM meta WHERE id = 7"),
        ("removed history", "DELETE FROM meta WHERE id = 9"),
        (
          "added account",
          "INSERT INTO account SELECT 60, X'00', sheet FROM account WHERE id = \(first);"
            + "INSERT INTO account_key SELECT 60, key_id, wrapped FROM account_key WHERE id = \(first)"
        ),
        ("added secret", "INSERT INTO record SELECT 99, account, sealed FROM record LIMIT 1"),
        ("added node", "INSERT INTO meta VALUES(-1, zeroblob(16))"),
        ("renumbered account", "UPDATE account SET id = 60 WHERE id = \(first)"),
        ("a text in the place of a blob", "UPDATE account SET tag = 'tag' WHERE id = \(first)"),
      ]))
  }

  @Test func olderRowsAreRefusedByBothAlike() throws {
    let before = vault.home.appending(path: "older.vault").path
    try write(older, to: before)
    let attach = "ATTACH '\(before)' AS older; "
    try compare(
      copies(
        [
          (
            "older account",
            "UPDATE account SET sheet = (SELECT sheet FROM older.account o WHERE o.id = account.id)"
          ),
          ("older state", "REPLACE INTO meta SELECT * FROM older.meta WHERE id = 3"),
          ("older extras", "REPLACE INTO meta SELECT * FROM older.meta WHERE id = 6"),
          ("older history", "REPLACE INTO meta SELECT * FROM older.meta WHERE id = 9"),
        ].map { ($0, attach + $1) }))
  }

  @Test func forgedHeadersSchemasAndFilesAreRefusedByBothAlike() throws {
    func header(_ change: (inout [UInt8]) -> Void) throws -> String {
      var bytes: [UInt8] = []
      _ = try copy("") { bytes = try #require(try $0.meta(0)) }
      bytes = Array(bytes[..<33])
      change(&bytes)
      let forged = Hexadecimal.encode(try bytes + Digest.sha256(bytes))
      return "UPDATE meta SET value = X'\(forged)' WHERE id = 0"
    }
    var files = try copies([
      ("another generation", header { $0[31] += 1 }),
      ("another custody", header { $0[32] = 2 }),
      ("unknown custody", header { $0[32] = 9 }),
      ("another group", header { $0[8] ^= 1 }),
      ("first version", header { $0[7] = 1 }),
      ("another application", "PRAGMA application_id = 1"),
      ("later version", "PRAGMA user_version = 3"),
      ("earlier version", "PRAGMA user_version = 1"),
      ("another table", "CREATE TABLE kept(id)"),
      ("a trigger", "CREATE TRIGGER keep AFTER DELETE ON record BEGIN SELECT 1; END"),
    ])
    let wide = try copy("wide mode") { _ in }
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: wide.path)
    let link = wide.path + ".link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: try copy("") { _ in }.path)
    files += [wide, ("a link", link)]
    // The header is authentic, and the number before it is not.
    try compare(files, harmless: ["earlier version"])
  }
}
