import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// Checks docs/vault-format.md against the code. The encodings, key derivations and associated data
/// are implemented a second time here, from the document alone.
@Suite(.timeLimit(.minutes(5))) struct WorkedExampleTests {
  private static let document = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs/vault-format.md")

  private let values: [String: [UInt8]]

  init() throws {
    let text = try String(contentsOf: Self.document, encoding: .utf8)
    let example = try #require(text.components(separatedBy: "```example\n").last)
    var values: [String: [UInt8]] = [:]
    for line in example.split(separator: "\n") where line.contains(": ") {
      let parts = line.components(separatedBy: ": ")
      values[parts[0]] = try bytes(hex: parts[1])
    }
    self.values = values
    #expect(values.count == 36)
  }

  private func value(_ name: String) throws -> [UInt8] { try #require(values[name], "\(name)") }

  private func number(_ value: UInt64) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + number(value >> 7)
  }
  private func data(_ value: [UInt8]) -> [UInt8] { number(UInt64(value.count)) + value }
  private func text(_ value: String) -> [UInt8] { data(Array(value.utf8)) }

  private func derive(_ key: [UInt8], _ purpose: String, version: Int = 1) throws -> [UInt8] {
    let derived = try KeyDerivation.hkdfSHA256(
      SecretBytes(copying: key), salt: value("group-id"),
      info: Array("tokenvault/\(version)/\(purpose)".utf8), count: 32)
    return unsafe derived.withUnsafeBytes { unsafe [UInt8]($0) }
  }

  private func tag(_ message: [UInt8]) throws -> [UInt8] {
    try TagKey(SecretBytes(copying: value("tags"))).tag(message)
  }

  private func opened(
    _ row: [UInt8], _ key: [UInt8], _ kind: String, account: [UInt8] = [], place: [UInt8] = []
  ) throws -> [UInt8] {
    try SealingKey(SecretBytes(copying: key)).open(
      row,
      associatedData: [1] + data(value("group-id")) + data(account) + text(kind) + data(place))
  }

  private func unpadded(_ padded: [UInt8]) -> [UInt8] {
    let count = padded[..<4].reduce(0) { $0 * 256 + Int($1) }
    #expect(padded[(4 + count)...].allSatisfy { $0 == 0 })
    #expect([256, 512, 1024].contains(padded.count))
    return Array(padded[4..<(4 + count)])
  }

  @Test func theWorkedExampleMatchesTheDocument() throws {
    let wrap = try value("wrap")
    let groupKey = try value("group-key")
    #expect(
      try derive(value("keyring-part") + value("device-part"), "group-key", version: 2) == groupKey)
    #expect(try derive(groupKey, "wrap") == wrap)
    #expect(try derive(value("lookup-key"), "tags") == value("tags"))
    #expect(try derive(value("lookup-key"), "rows") == value("rows"))
    #expect(try derive(value("slot-key"), "slot-step") == value("slot-step"))

    let clear =
      try Array("TKVT".utf8) + [0, 0, 0, 2] + value("group-id") + [0, 0, 0, 0, 0, 0, 0, 2, 1]
    #expect(try value("header") == clear + Digest.sha256(clear))
    #expect(try opened(value("check"), wrap, "check") == Array("TokenVault group key".utf8))
    #expect(
      try opened(value("lookup-key-row"), wrap, "lookup-key", place: value("header"))
        == value("lookup-key"))

    let account = try value("account-tag")
    #expect(
      try tag(text("account") + text("u.t") + text("login.windows.net") + text("")) == account)
    let accountKey = try value("account-key")
    #expect(
      try opened(
        value("account-key-row"), wrap, "account-key", account: account,
        place: value("account-key-id")) == accountKey)

    let identity = [
      "RefreshToken", "client", "login.microsoftonline.com", "", "", "", "1", "", "", "",
    ].flatMap(text)
    #expect(try tag(text("record") + data(account) + identity) == value("record-tag"))
    let credential = try value("record-row")
    #expect(try value("record-plaintext") == text("refresh-token") + text("{}"))
    #expect(
      try unpadded(
        opened(credential, accountKey, "record", account: account, place: value("record-tag")))
        == value("record-plaintext"))

    let record =
      [1] + ["u.t", "login.microsoftonline.com", "MSSTS", "", "work"].flatMap(text)
      + [1] + ["t", "u", "Alice@Contoso.example", "login.microsoftonline.com"].flatMap(text)
      + text("{}") + [0] + [1] + text("client") + [1] + [1] + identity
      + [1] + number(3_400_000_000) + [0, 0, 0, 0] + [2] + data(Array(credential.suffix(16)))
    #expect(try value("sheet-plaintext") == record)
    #expect(
      try unpadded(opened(value("sheet-row"), accountKey, "sheet", account: account)) == record)
    #expect(
      try tag(
        text("row") + data(account) + data(value("account-key-id"))
          + data(Array(value("sheet-row").suffix(16)))) == value("row-digest"))

    #expect(try tag(text("name") + text("alice@contoso.example")) == value("name-tag"))
    #expect(
      try unpadded(
        opened(value("name-row"), value("rows"), "name", place: value("name-tag")))
        == [1] + data(account))

    let node = try value("node")
    #expect(try node == [UInt8](repeating: 0, count: 16) + value("row-digest")[..<16])
    #expect(try tag(text("node") + [0, 0] + data(node)).prefix(16) == value("node-digest")[...])
    let state =
      [3, 1, 1, 1, 0] + data(node) + data(account) + [1] + text("client") + data(account)
      + [1, 1] + [1, 1] + text("boot") + [2, 1] + text("client") + [1] + text("/cache.json")
    #expect(try value("state-plaintext") == state)
    #expect(try unpadded(opened(value("state-row"), wrap, "state")) == state)

    let parameters = data([UInt8](repeating: 7, count: 32)) + [0, 0, 0, 1]
    let slot = try value("slot-row")
    #expect(slot.starts(with: parameters))
    #expect(
      try opened(
        Array(slot.dropFirst(parameters.count + 1)), value("slot-step"), "slot",
        place: [10] + parameters) == value("group-key"))
    let bridgePart = try value("previous-bridge-part")
    #expect(try derive(value("previous-keyring-part"), "bridge-part", version: 2) == bridgePart)
    #expect(
      try opened(
        value("bridge-row"), derive(bridgePart + value("device-part"), "bridge", version: 2),
        "bridge", place: [1, 2]) == value("keyring-part"))
    #expect(
      try derive(value("keyring-part"), "bridge-part", version: 2) == value("bridge-part"))
    func entry(_ purpose: UInt8, _ number: UInt8, _ key: String) throws -> [UInt8] {
      try [purpose, 0, 0, 0, 0, 0, 0, 0, number] + value(key)
    }
    #expect(
      try value("rotation-plaintext")
        == entry(1, 5, "slot-step") + entry(2, 1, "previous-bridge-part")
        + entry(2, 2, "bridge-part"))
    #expect(
      try opened(value("rotation-row"), wrap, "rotation") == value("rotation-plaintext"))
  }

  @Test func theWorkedExampleOpensAsAGroupFile() throws {
    let scratch = try Scratch()
    let path = scratch("example.vault")
    let group = try FreshGroup(path)
    let rows: [(String, [String])] = [
      ("INSERT OR REPLACE INTO meta VALUES(0, ?)", ["header"]),
      ("INSERT OR REPLACE INTO meta VALUES(1, ?)", ["check"]),
      ("INSERT OR REPLACE INTO meta VALUES(2, ?)", ["lookup-key-row"]),
      ("INSERT OR REPLACE INTO meta VALUES(3, ?)", ["state-row"]),
      ("INSERT OR REPLACE INTO meta VALUES(5, ?)", ["slot-row"]),
      ("INSERT OR REPLACE INTO meta VALUES(7, ?)", ["rotation-row"]),
      ("INSERT OR REPLACE INTO meta VALUES(1001, ?)", ["bridge-row"]),
      ("INSERT INTO account VALUES(1, ?, ?)", ["account-tag", "sheet-row"]),
      ("INSERT INTO account_key VALUES(1, ?, ?)", ["account-key-id", "account-key-row"]),
      ("INSERT INTO record VALUES(1, 1, ?)", ["record-row"]),
      ("INSERT INTO name VALUES(?, ?)", ["name-tag", "name-row"]),
    ]
    let database = try group.open().database
    for (sql, names) in rows {
      let statement = try database.statement(sql)
      for (index, name) in names.enumerated() {
        try statement.bind(Int32(index + 1), value(name))
      }
      try statement.run()
    }
    let locked = try LockedGroup(path: path)
    #expect(try locked.header.encoded() == value("header"))
    let expected = try SecretBytes(copying: value("group-key"))
    let slot = try #require(try locked.slot(.recovery))
    #expect(try slot.encoded() == value("slot-row"))
    let fromSlot = try locked.open(
      slot, at: .recovery, with: SecretBytes(copying: value("slot-key")))
    let part = try locked.unwrapKeyringPart(
      from: 1, with: SecretBytes(copying: value("previous-keyring-part")),
      device: SecretBytes(copying: value("device-part")))
    let parts = KeyParts(keyring: part, device: try SecretBytes(copying: value("device-part")))
    let fromParts = try parts.key(of: locked.header.groupID)
    let isSame = fromSlot.isEqual(to: expected) && fromParts.isEqual(to: expected)
    #expect(isSame)
    let opened = try locked.unlock(expected)
    let (record, secret, current, state) = try opened.read { transaction in
      let found = try transaction.accounts(named: CaseFolding.fold("ALICE@contoso.example"))
      let account = try #require(found.first)
      let payload = try transaction.payload(of: account.record.stored[0], in: account)
      let damaged = try transaction.forEachAccount { _ in }
      #expect(damaged == 0)
      return (
        account.record, payload.secret.reveal(), try transaction.currentAccount()?.tag,
        transaction.state
      )
    }
    #expect(try record.encoded() == value("sheet-plaintext"))
    #expect(try state.encoded() == value("state-plaintext"))
    #expect(secret == Array("refresh-token".utf8))
    #expect(try current == value("account-tag"))
  }

  /// If a test were renamed or removed, the document would make a promise that no test checks.
  @Test func everyTestNamedInTheDocumentExists() throws {
    let document = try String(contentsOf: Self.document, encoding: .utf8)
    let all = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let tests = try FileManager.default.subpathsOfDirectory(atPath: all.path)
      .filter { $0.hasSuffix(".swift") }
      .map { try String(contentsOf: all.appending(path: $0), encoding: .utf8) }
    let names = document.matches(of: /\[test: (\w+)\]/).map { String($0.1) }
    #expect(names.count > 30)
    for name in names { #expect(tests.contains { $0.contains("func \(name)(") }, "\(name)") }
  }
}
