import Testing
import TokenVaultCrypto
import TokenVaultKeyCustody
import TokenVaultModel

@Suite(.timeLimit(.minutes(2))) struct PassphraseCustodianTests {
  private let salt = Array("a salt of the group file".utf8)

  @Test func theKeyEncryptionKeyIsScryptOfThePassphrase() throws {
    let custodian = PassphraseCustodian(try secret("correct horse"))
    let slot = KeySlotParameters(salt: salt, cost: PassphraseCustodian.newSlotCost)
    #expect(slot.cost == KeySlotParameters.Cost(logN: 17, r: 8, p: 1))
    // From Python: hashlib.scrypt(b"correct horse", salt=..., n=2**17, r=8, p=1, dklen=32).
    #expect(
      Hexadecimal.encode(bytes(try custodian.key(slot)))
        == "353b7b3a22f4f31a2a29f3a9a58bbdae749e4eaa258b860ec648d7168052ae13")
  }

  @Test(arguments: [(16, 8, 1), (0, 8, 1), (-1, 8, 1), (17, 7, 1), (17, 8, 0), (23, 8, 1)])
  func aPassphraseCostsAtLeastTwoToTheSeventeen(
    logN: Int, r: Int, p: Int
  ) throws {
    let custodian = PassphraseCustodian(try secret("correct horse"))
    let slot = KeySlotParameters(
      salt: salt, cost: KeySlotParameters.Cost(logN: logN, r: r, p: p))
    #expect(failure { () throws(CustodyError) in _ = try custodian.key(slot) } == .crypto)
  }

  @Test func anEmptyPassphraseCountsAsNone() throws {
    let custodian = PassphraseCustodian(try secret(""))
    let slot = KeySlotParameters(salt: salt, cost: PassphraseCustodian.newSlotCost)
    #expect(
      failure { () throws(CustodyError) in _ = try custodian.key(slot) } == .passphraseRequired)
  }
}
