import TokenVaultKeyCustody
import PrototypeCheck
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(5))) struct SecretServiceCustodianTests {
  @Test func aStoredKeyIsRetrievedUntilItsDeletion() throws {
    let service = try PrivateSecretService()
    let custodian = service.custodian()
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)

    try custodian.store(key, as: id)
    #expect(bytes(try custodian.key(id)) == bytes(key))

    try custodian.delete(id)
    #expect(
      failure { () throws(CustodyError) in _ = try custodian.key(id) } == .keyMissing(generation: 1)
    )
    try custodian.delete(id)
  }

  @Test func theKeyringItemIdentifiesNoUser() throws {
    let service = try PrivateSecretService()
    let id = GroupKeyID.fresh(generation: 42)
    let key = try SecretBytes.random(count: 32)
    try service.custodian().store(key, as: id)

    let lines = try service.attributes(group: id)
    #expect(
      lines.filter { $0.hasPrefix("attribute.") || $0.hasPrefix("schema") }.sorted() == [
        "attribute.generation = 42", "attribute.group = \(id.hexGroup)",
        "schema = dev.tokenvault.GroupKey",
      ])
    #expect(lines.contains("label = TokenVault keychain group key"))
    #expect(lines.contains("secret = \(Base64URL.encode(bytes(key)))"))
  }

  @Test func anItemIsNeverOverwritten() throws {
    let service = try PrivateSecretService()
    let custodian = service.custodian()
    let id = GroupKeyID.fresh(generation: 3)
    let first = try SecretBytes.random(count: 32)
    let second = try SecretBytes.random(count: 32)
    try custodian.store(first, as: id)

    #expect(
      failure { () throws(CustodyError) in try custodian.store(second, as: id) }
        == .alreadyStored(generation: 3))
    #expect(bytes(try custodian.key(id)) == bytes(first))
    #expect(try service.attributes(group: id).count { $0.hasPrefix("secret =") } == 1)
  }

  @Test func generationsAreSeparateAndListedInOrder() throws {
    let service = try PrivateSecretService()
    let custodian = service.custodian()
    let id = GroupKeyID.fresh()
    #expect(try custodian.generations(of: id.groupID) == [])
    let first = try SecretBytes.random(count: 32)
    let tenth = try SecretBytes.random(count: 32)
    try custodian.store(tenth, as: id.with(generation: 10))
    try custodian.store(first, as: id)
    try custodian.store(first, as: .fresh(generation: 5))
    for foreign in ["+7", "007", "seven", "99999999999999999999"] {
      try service.run(
        ["secret-tool", "store", "--label=foreign", "group", id.hexGroup, "generation", foreign],
        input: "x")
    }

    #expect(try custodian.generations(of: id.groupID) == [1, 10])
    #expect(bytes(try custodian.key(id)) == bytes(first))
    #expect(bytes(try custodian.key(id.with(generation: 10))) == bytes(tenth))
    try custodian.delete(id)
    #expect(try custodian.generations(of: id.groupID) == [10])
  }

  @Test func eachOfSeveralKeysWithOneIDIsTriedUntilOneIsAccepted() throws {
    let service = try PrivateSecretService()
    let custodian = service.custodian()
    let id = GroupKeyID.fresh()
    let right = try SecretBytes.random(count: 32)
    try service.plant("no key at all", as: id)
    // A different schema makes a second item with the same id.
    let wrong = String(repeating: "A", count: 43)
    try service.run(
      [
        "secret-tool", "store", "--label=planted", "group", id.hexGroup, "generation", "1",
        "xdg:schema", "org.example.Other",
      ], input: wrong)
    try service.run(
      [
        "secret-tool", "store", "--label=planted", "group", id.hexGroup, "generation", "1",
        "xdg:schema", "dev.tokenvault.GroupKey",
      ], input: Base64URL.encode(bytes(right)))

    var offered = 0
    let taken = try custodian.key(id) { candidate in
      offered += 1
      return candidate.isEqual(to: right)
    }
    #expect(bytes(taken) == bytes(right))
    #expect((1...2).contains(offered))
    #expect(
      failure { () throws(CustodyError) in _ = try custodian.key(id, where: { _ in false }) }
        == .wrongKey)

    try custodian.delete(id)
    #expect(
      failure { () throws(CustodyError) in _ = try custodian.key(id) } == .keyMissing(generation: 1)
    )
  }

  @Test(arguments: ["", "short", String(repeating: "A", count: 44), "padded=", "not base64url ÿ!"])
  func textThatIsNotAKeyOf32BytesIsAWrongKey(_ text: String) throws {
    let service = try PrivateSecretService()
    let id = GroupKeyID.fresh()
    try service.plant(text, as: id)
    #expect(
      failure { () throws(CustodyError) in _ = try service.custodian().key(id) } == .wrongKey)
  }

  @Test func aKeyOfAnotherSizeIsNotStored() throws {
    let service = try PrivateSecretService()
    let id = GroupKeyID.fresh()
    let short = try SecretBytes.random(count: 31)
    let custodian = service.custodian()
    #expect(failure { () throws(CustodyError) in try custodian.store(short, as: id) } == .wrongKey)
    #expect(try custodian.generations(of: id.groupID) == [])
  }

  @Test func theDeclaredPrototypesMatchTheInstalledHeaders() {
    #expect(tv_prototypes_match() == 1)
  }
}
