import Testing

@testable import TokenVaultCrypto

@Suite(.timeLimit(.minutes(5))) struct SealingKeyTests {
  /// Whether a vector has the sizes of nonce and tag that the format uses. The tests count the
  /// vectors of other sizes.
  private func hasFormatSizes(_ vector: Vector) throws -> Bool {
    try vector.number("IVlen") == 96 && vector.number("Taglen") == 128
  }

  /// The number of vectors for each pair of sizes that the format does not use.
  private func otherSizes(_ vectors: [Vector]) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for vector in vectors where try !hasFormatSizes(vector) {
      counts["\(try vector.text("IVlen"))/\(try vector.text("Taglen"))", default: 0] += 1
    }
    return counts
  }

  /// Sizes of nonce and tag in bits. NIST's files have 375 vectors for each pair.
  private let unusedSizes = [
    "8/128", "8/120", "8/112", "8/104", "8/96", "8/64", "8/32",
    "96/120", "96/112", "96/104", "96/96", "96/64", "96/32",
    "1024/128", "1024/120", "1024/112", "1024/104", "1024/96", "1024/64", "1024/32",
  ]

  @Test func sealsAsInTheEncryptionVectorsOfNIST() throws {
    let all = try vectors("ciphers/AES/GCM/gcmEncryptExtIV256.rsp", first: "Count")
    let ours = try all.filter(hasFormatSizes)
    for vector in ours {
      let nonce = try vector.bytes("IV")
      let key = try SealingKey(SecretBytes(copying: vector.bytes("Key")))
      let sealed = try key.seal(
        vector.bytes("PT"), associatedData: vector.bytes("AAD"), nonce: nonce)
      let expected = try nonce + vector.bytes("CT") + vector.bytes("Tag")
      #expect(sealed == expected, "\(vector.fields)")
    }
    #expect(ours.count == 375)
    #expect(
      try otherSizes(all) == Dictionary(uniqueKeysWithValues: unusedSizes.map { ($0, 375) }))
  }

  @Test func opensAndRejectsAsInTheDecryptionVectorsOfNIST() throws {
    let all = try vectors("ciphers/AES/GCM/gcmDecrypt256.rsp", first: "Count")
    var opened = 0
    var refused = 0
    for vector in try all.filter(hasFormatSizes) {
      let key = try SealingKey(SecretBytes(copying: vector.bytes("Key")))
      let sealed = try vector.bytes("IV") + vector.bytes("CT") + vector.bytes("Tag")
      let associatedData = try vector.bytes("AAD")
      if vector.fields["FAIL"] == nil {
        let plaintext = try key.open(sealed, associatedData: associatedData)
        let secret = try key.openSecret(sealed, associatedData: associatedData).copied()
        let expected = try vector.bytes("PT")
        #expect(plaintext == expected && secret == expected, "\(vector.fields)")
        opened += 1
      } else {
        #expect(throws: CryptoError.failed, "\(vector.fields)") {
          try key.open(sealed, associatedData: associatedData)
        }
        #expect(throws: CryptoError.failed, "\(vector.fields)") {
          _ = try key.openSecret(sealed, associatedData: associatedData)
        }
        refused += 1
      }
    }
    #expect((opened, refused) == (184, 191))
    #expect(
      try otherSizes(all) == Dictionary(uniqueKeysWithValues: unusedSizes.map { ($0, 375) }))
  }

  @Test(arguments: [0, 1, 15, 16, 17, 100, 4096, 1 << 20])
  func opensWhatItSealed(size: Int) throws {
    let key = try SealingKey(SecretBytes.random(count: 32))
    let plaintext = try RandomBytes.make(size)
    let associatedData = try RandomBytes.make(size % 97)
    let sealed = try key.seal(plaintext, associatedData: associatedData)
    #expect(sealed.count == size + SealingKey.overhead)
    #expect(try key.open(sealed, associatedData: associatedData) == plaintext)
  }

  @Test func usesAFreshNonceForEverySeal() throws {
    let key = try SealingKey(SecretBytes.random(count: 32))
    let nonces = try (0..<10_000).map { _ in
      try Array(key.seal([1, 2, 3], associatedData: []).prefix(12))
    }
    #expect(Set(nonces).count == nonces.count)
  }

  @Test func rejectsAValueWithAnyBitFlipped() throws {
    let key = try SealingKey(SecretBytes.random(count: 32))
    let sealed = try key.seal(Array("a token".utf8), associatedData: [7])
    for index in sealed.indices {
      for bit in 0..<8 {
        var changed = sealed
        changed[index] ^= 1 << bit
        #expect(throws: CryptoError.failed) { try key.open(changed, associatedData: [7]) }
      }
    }
    #expect(try key.open(sealed, associatedData: [7]) == Array("a token".utf8))
  }

  @Test func rejectsATruncatedOrExtendedValue() throws {
    let key = try SealingKey(SecretBytes.random(count: 32))
    let sealed = try key.seal(Array("a token".utf8), associatedData: [7])
    for count in 0..<sealed.count {
      let cut = Array(sealed.prefix(count))
      #expect(throws: CryptoError.failed) { try key.open(cut, associatedData: [7]) }
      #expect(throws: CryptoError.failed) { _ = try key.openSecret(cut, associatedData: [7]) }
    }
    #expect(throws: CryptoError.failed) { try key.open(sealed + [0], associatedData: [7]) }
  }

  @Test(arguments: [[], [7], [7, 8, 0], [8, 7]] as [[UInt8]])
  func rejectsOtherAssociatedData(other: [UInt8]) throws {
    let key = try SealingKey(SecretBytes.random(count: 32))
    let sealed = try key.seal([1], associatedData: [7, 8])
    #expect(throws: CryptoError.failed) { try key.open(sealed, associatedData: other) }
  }

  @Test func rejectsAnotherKey() throws {
    let key = try SealingKey(SecretBytes.random(count: 32))
    let other = try SealingKey(SecretBytes.random(count: 32))
    let sealed = try key.seal([1], associatedData: [])
    #expect(throws: CryptoError.failed) { try other.open(sealed, associatedData: []) }
  }

  @Test(arguments: [0, 16, 24, 31, 33, 64])
  func acceptsOnlyKeysOf32Bytes(size: Int) throws {
    #expect(throws: CryptoError.badParameters) {
      _ = try SealingKey(SecretBytes.random(count: size))
    }
  }

  @Test(arguments: [0, 8, 11, 13, 16])
  func acceptsOnlyNoncesOf12Bytes(size: Int) throws {
    let key = try SealingKey(SecretBytes.random(count: 32))
    #expect(throws: CryptoError.badParameters) {
      try key.seal([1], associatedData: [], nonce: [UInt8](repeating: 0, count: size))
    }
  }

  @Test func wrapsAndUnwrapsAKey() throws {
    let wrapping = try SealingKey(SecretBytes.random(count: 32))
    let key = try SecretBytes.random(count: 32)
    let wrapped = try wrapping.seal(key, associatedData: [1])
    let unwrapped = try wrapping.openSecret(wrapped, associatedData: [1]).copied()
    #expect(unwrapped == key.copied())
  }

  @Test func leavesNoPlaintextThatFailsToAuthenticate() throws {
    let key = try SealingKey(SecretBytes.random(count: 32))
    var sealed = try key.seal(Array("a token".utf8), associatedData: [])
    var plaintext = [UInt8](repeating: 0xA5, count: 7)
    #expect(unsafe plaintext.withUnsafeMutableBytes { unsafe key.decrypt(sealed, [], into: $0) })
    #expect(plaintext == Array("a token".utf8))
    sealed[sealed.count - 1] ^= 1
    #expect(unsafe !plaintext.withUnsafeMutableBytes { unsafe key.decrypt(sealed, [], into: $0) })
    #expect(plaintext == [UInt8](repeating: 0, count: 7))
  }

  @Test func eachKeyThatIsWrappedAgainHasANonceOfItsOwn() throws {
    let former = try SealingKey(SecretBytes.random(count: 32))
    let next = try SealingKey(SecretBytes.random(count: 32))
    var keys: [[UInt8]] = []
    var wrapped: [UInt8] = []
    for number in 0..<200 {
      let key = try SecretBytes.random(count: 32)
      keys.append(key.copied())
      wrapped += try former.seal(key, associatedData: [UInt8(number)])
    }
    let size = SealingKey.wrappedKeySize
    wrapped[7 * size + 20] ^= 1
    let damaged = wrapped

    let failures = try next.rewrap(&wrapped, from: former) { number, data in
      // The key with the number 8 belongs to another place.
      data = [UInt8(number == 8 ? 9 : number)]
    }
    #expect(failures == [7, 8] && wrapped.count == 200 * size)
    let results = (0..<200).map { Array(wrapped[$0 * size..<($0 + 1) * size]) }
    for (number, result) in results.enumerated() {
      guard ![7, 8].contains(number) else {
        #expect(result == Array(damaged[number * size..<(number + 1) * size]))
        continue
      }
      let key = try next.openSecret(result, associatedData: [UInt8(number)]).copied()
      #expect(key == keys[number])
    }
    let formerNonces = Set((0..<200).map { damaged[$0 * size..<$0 * size + 12] })
    let nonces = Set(results.map { $0.prefix(12) })
    #expect(nonces.count == 200 && nonces.subtracting(formerNonces).count == 198)
  }
}
