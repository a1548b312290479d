import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault
@testable import TokenVaultGroupStore

/// A second implementation of docs/vault-format.md reads the same from every file as the program.
@Suite(.timeLimit(.minutes(5))) struct SecondReaderTests {
  private let reader: VaultReader
  private let vault: TestVault
  private let session: GroupSession
  private var path: String { vault.file().path }

  init() throws {
    reader = try VaultReader()
    // Its own keyring: a test puts a former secret back into it.
    vault = try TestVault(session: PrivateSecretService())
    session = vault.groupSession {
      $0.passphrase = PassphrasePrompt.entering("fake-passphrase")
    }
  }

  /// Both parts of the group's present key.
  private func parts() throws -> [String: String] {
    let id = try session.keyID()
    return [
      "keyringPart": VaultReader.hexadecimal(try vault.custodian.key(id)),
      "devicePart": VaultReader.hexadecimal(try vault.parts.device.key(id)),
    ]
  }

  /// Compares all that both read from the group's file, and returns it.
  @discardableResult
  private func compare(
    _ keys: [String: String], in other: GroupSession? = nil
  ) throws -> VaultReader.Reading {
    let session = other ?? session
    let (reading, header) = (try reader.read(path, with: keys), try session.header())
    #expect(reading.isSound, "\(reading.error ?? "") \(reading.damaged ?? [])")
    #expect(reading.version == header.version && reading.generation == header.generation)
    try session.read { transaction in
      let (content, extras) = (try GroupContent(transaction), try transaction.extras())
      #expect(reading.content == content)
      #expect(reading.state?.commits == transaction.state.changes)
      #expect(reading.extras ?? "" == String(decoding: extras, as: UTF8.self))
      let (name, history) = (try transaction.groupName(), try transaction.history())
      #expect(reading.name == name)
      #expect(reading.history?.recoveryCode == history.recoveryCodeMade?.epochSeconds)
    }
    return reading
  }

  @Test func everyCommittedFileReadsTheSame() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "TokenVaultGroupStoreTests/Fixtures")
    try FileSafety.makeDirectory(vault.directory.appending(path: "groups").path)
    var files = 0
    for file in try FileManager.default.contentsOfDirectory(
      at: fixtures, includingPropertiesForKeys: nil)
    where file.pathExtension == "vault" {
      files += 1
      try vault.restore([(vault.file(), try Data(contentsOf: file))])
      let beside = try Data(
        contentsOf: file.deletingPathExtension().appendingPathExtension("json"))
      let given = try JSONDecoder().decode([String: String].self, from: beside)
      var keys: [([String: String], Int?)] = []
      if let passphrase = given["passphrase"] {
        keys.append((["passphrase": passphrase], nil))
      } else {
        keys.append((["groupKey": try #require(given["secondGeneration"])], nil))
        keys.append((["groupKey": try #require(given["firstGeneration"])], 1))
      }
      if let code = given["recoveryCode"] { keys.append((["recoveryCode": code], nil)) }
      for (key, generation) in keys {
        let reading = try reader.read(path, with: key, generation: generation)
        #expect(reading.isSound, "\(file.lastPathComponent): \(reading)")
        try program(given) { transaction in
          let content = try GroupContent(transaction)
          #expect(reading.content == content)
          #expect(reading.content.accounts.isEmpty == false)
        }
      }
    }
    #expect(files == 2)
  }

  /// The program opens a committed file with the keys beside it.
  private func program(
    _ given: [String: String], _ body: (GroupTransaction) throws -> Void
  ) throws {
    let locked = try LockedGroup(path: path)
    let key: SecretBytes
    if let passphrase = given["passphrase"] {
      let slot = try #require(try locked.slot(.custody))
      let custodian = PassphraseCustodian(try SecretBytes(copying: Array(passphrase.utf8)))
      let cost = KeySlotParameters.Cost(
        logN: Int(slot.parameters.logN), r: Int(slot.parameters.r), p: Int(slot.parameters.p))
      key = try locked.open(
        slot, at: .custody,
        with: custodian.key(KeySlotParameters(salt: slot.parameters.salt, cost: cost)))
    } else {
      let text = try #require(given["secondGeneration"])
      key = try SecretBytes(copying: try #require(Hexadecimal.decode(text.utf8)))
    }
    try locked.unlock(key).read(body)
  }

  @Test func aGroupReadsTheSameFromItsCreationToASignOut() throws {
    try session.create()
    #expect(try compare(parts()).content.accounts.isEmpty)
    try session.importCache(Person.ada.cache() + Person.bob.cache())
    try session.addSecret(Redacted(text: "third secret"), service: "git.example", username: "eve")
    // Python and others change a final sigma by a rule of its own.
    try session.setAlias("ΟΔΥΣΣΕΥΣ", of: Person.ada.id)
    try session.switchTo(Person.bob.id)
    #expect(try compare(parts()).content.accounts.count == 3)

    let before = try parts()
    #expect(try session.signOut([Person.bob.id]).isClean)
    let reading = try compare(parts())
    #expect(reading.content.accounts.values.map(\.homeAccountID).contains(Person.bob.id) == false)
    #expect(reading.content.accounts.count == 2 && reading.successors == [1])
    // The parts from before open nothing, and the former keyring part only with the present device
    // part.
    #expect(try reader.read(path, with: before).error == "wrong-key")
    let mixed = try parts().merging(["keyringPart": try #require(before["keyringPart"])]) { $1 }
    #expect(try reader.read(path, with: mixed).error == "wrong-key")
    #expect(try reader.read(path, with: mixed, generation: 1).content == reading.content)
    #expect(try reader.read(path, with: before, generation: 1).error == "wrong-key")
  }

  @Test func aGroupReadsTheSameInEveryCustodyAndFromABackup() throws {
    try session.importCache(Person.ada.cache() + Person.bob.cache())
    var code = ""
    _ = try Recovery(session).makeRecoveryCode {
      code = unsafe $0.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
    let reading = try compare(parts())
    #expect(reading.history?.recoveryCode == TestVault.start)
    try compare(["recoveryCode": code])
    let typed = code.lowercased().replacing("-", with: " ").replacing("1", with: "l")
    try compare(["recoveryCode": typed])

    let copy = vault.home.appending(path: "copy").path
    try session.backup(to: copy)
    #expect(try compare(parts()).name == session.group.description)
    try session.signOut([Person.bob.id])
    // Slots move on with each rotation, and the copy keeps the one of its time.
    try compare(["recoveryCode": code])
    let copied = try reader.read(copy, with: ["recoveryCode": code])
    #expect(copied.isSound && copied.content == reading.content)

    let file = vault.home.appending(path: "key").path
    try KeyFileCustodian.create(path: file)
    let key = Hexadecimal.encode([UInt8](try Data(contentsOf: URL(filePath: file))))
    for custody in [GroupHeader.Custody.passphrase, .keyFile, .secretService] {
      let session = vault.groupSession {
        $0.passphrase = PassphrasePrompt.entering("fake-passphrase")
        $0.keyFile = file
      }
      try session.rekey(to: custody)
      // The session of this test has another key file, or none.
      session.close()
      let keys: [String: String] =
        switch custody {
        case .passphrase: ["passphrase": "fake-passphrase"]
        case .keyFile: ["keyFile": key]
        case .secretService: try parts()
        }
      let reading = try reader.read(path, with: keys)
      #expect(reading.isSound, "\(custody): \(reading)")
      #expect(
        try vault.groupSession {
          $0.passphrase = PassphrasePrompt.entering("fake-passphrase")
          $0.keyFile = file
        }.read { try reading.content == GroupContent($0) })
    }
  }

  @Test func anUpgradedGroupReadsTheSame() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "TokenVaultGroupStoreTests/Fixtures")
    try FileSafety.makeDirectory(vault.directory.appending(path: "groups").path)
    try vault.restore([
      (vault.file(), try Data(contentsOf: fixtures.appending(path: "v1-group.vault")))
    ])
    let given = try JSONDecoder().decode(
      [String: String].self,
      from: Data(contentsOf: fixtures.appending(path: "v1-group.json")))
    func secret(_ name: String) throws -> [UInt8] {
      let text = try #require(given[name])
      return try #require(Hexadecimal.decode(text.utf8))
    }
    try vault.custodian.store(
      SecretBytes(copying: secret("secondGeneration")),
      as: GroupKeyID(groupID: secret("groupID"), generation: 2))
    let session = vault.groupSession { $0.bootIdentifier = { "boot-of-the-fixture" } }
    try session.setAlias("office", of: "bob@fabrikam.example")
    // After another boot, a read would first remove what leads from the former keys to the present one.
    let reading = try compare(parts(), in: session)
    session.close()
    #expect(reading.version == 2 && reading.content.accounts.count == 3)
    // The first row of the upgrade is of version 1, and leads to one of version 2.
    let device = try #require(try parts()["devicePart"])
    for (generation, name) in [(1, "firstGeneration"), (2, "secondGeneration")] {
      let former = [
        "keyringPart": Hexadecimal.encode(try secret(name)), "devicePart": device,
      ]
      let bridged = try reader.read(path, with: former, generation: generation)
      #expect(bridged.isSound && bridged.content == reading.content, "\(name): \(bridged)")
    }
  }

  /// Four levels of nodes, with a few accounts at their borders.
  @Test func aGroupWithManyRowsReadsTheSame() throws {
    try session.create()
    try session.write { transaction in
      let rows: [(Int64, String)] = [
        (63, "a"), (64, "b"), (4_095, "c"), (262_143, "d"), (262_144, "e"),
      ]
      for (start, id) in rows {
        // A row number that was used and is free again is the next one.
        try transaction.tree?.set([UInt8](repeating: 1, count: 16), ofRow: start)
        try transaction.tree?.set(nil, ofRow: start)
        var record = AccountRecord(
          homeAccountID: id, environment: "id.example", authorityType: .oidc,
          issuer: "https://id.example/\(id)")
        record.alias = "alias of \(id)"
        _ = try transaction.insert(record)
      }
    }
    let reading = try compare(parts())
    #expect(reading.content.accounts.count == 5)
  }
}
