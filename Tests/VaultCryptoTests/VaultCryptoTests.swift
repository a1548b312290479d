import Testing

@testable import VaultCrypto

@Test func smoke() throws {
  let key = try SecretBytes.random(count: 32)
  let sealing = try SealingKey(key)
  let sealed = try sealing.seal([1, 2, 3], associatedData: [9])
  #expect(try sealing.open(sealed, associatedData: [9]) == [1, 2, 3])
  #expect(throws: CryptoError.failed) { try sealing.open(sealed, associatedData: [8]) }
  #expect(try sealing.open(sealing.seal([], associatedData: []), associatedData: []) == [])
  let wrapped = try sealing.seal(key, associatedData: [1])
  let again = try sealing.openSecret(wrapped, associatedData: [1])
  let same = again.isEqual(to: key)
  #expect(same)
  let text = try Base64URL.encodeSecret(key)
  let same2 = try Base64URL.decodeSecret(text).isEqual(to: key)
  #expect(same2)
  let t = try TagKey(key).tag([1])
  #expect(t.count == 32)
  let h = try KeyDerivation.hkdfSHA256(key, salt: [], info: [], count: 32)
  let c = h.count
  #expect(c == 32)
  #expect(try Base64URL.encode(Digest.sha256([])).hasPrefix("47DEQpj8"))
}
