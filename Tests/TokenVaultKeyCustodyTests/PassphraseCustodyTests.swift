@testable import TokenVaultKeyCustody
import Testing
import TokenVaultCrypto

@Suite struct PassphraseCustodyTests {
  private let salt = Array("a salt of the group file".utf8)

  @Test func `the key-encryption key is scrypt of the passphrase`() throws {
    let passphrase = try secret("correct horse")
    let key = try PassphraseCustody.keyEncryptionKey(
      passphrase: passphrase, salt: salt, logN: PassphraseCustody.logN, r: PassphraseCustody.r,
      p: PassphraseCustody.p)
    // From Python: hashlib.scrypt(b"correct horse", salt=..., n=2**17, r=8, p=1, dklen=32).
    #expect(
      hexadecimal(bytes(key)) == "353b7b3a22f4f31a2a29f3a9a58bbdae749e4eaa258b860ec648d7168052ae13")
  }

  @Test(arguments: [(16, 8, 1), (0, 8, 1), (-1, 8, 1), (17, 7, 1), (17, 8, 0), (23, 8, 1)])
  func aPassphraseCostsAtLeastTwoToTheSeventeen(
    logN: Int, r: Int, p: Int
  ) throws {
    let passphrase = try secret("correct horse")
    #expect(
      failure { () throws(CustodyError) in
        _ = try PassphraseCustody.keyEncryptionKey(
          passphrase: passphrase, salt: salt, logN: logN, r: r, p: p)
      } == .crypto)
  }

  @Test func `an empty passphrase is none`() throws {
    let empty = try secret("")
    #expect(
      failure { () throws(CustodyError) in
        _ = try PassphraseCustody.keyEncryptionKey(
          passphrase: empty, salt: salt, logN: 17, r: 8, p: 1)
      } == .passphraseRequired)
  }
}
