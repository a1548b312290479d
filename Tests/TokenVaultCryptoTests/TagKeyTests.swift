import Testing
import TokenVaultCrypto

@Suite struct TagKeyTests {
  @Test func `tags as RFC 4231 says, also the second time`() throws {
    let cases = try vectors("HMAC/rfc-4231-sha256.txt", first: "Len")
    for vector in cases {
      let key = try TagKey(SecretBytes(copying: vector.bytes("Key")))
      let first = try key.tag(vector.bytes("Msg"))
      let other = try key.tag([1])
      let second = try key.tag(vector.bytes("Msg"))
      #expect(try first == vector.bytes("MD"), "\(vector.fields)")
      #expect(second == first)
      #expect(other != first)
    }
    #expect(cases.count == 6)
  }

  @Test func `keys of one process do not share a state`() throws {
    let a = try TagKey(SecretBytes(copying: [1]))
    let b = try TagKey(SecretBytes(copying: [2]))
    let first = try a.tag([])
    #expect(try b.tag([]) != first)
    #expect(try a.tag([]) == first)
  }
}

@Suite struct DigestTests {
  @Test(arguments: [("SHA256ShortMsg", 65), ("SHA256LongMsg", 64)])
  func `hashes as NIST's vectors say`(file: String, count: Int) throws {
    let cases = try vectors("hashes/SHA2/\(file).rsp", first: "Len")
    for vector in cases {
      // NIST writes the empty message as one zero byte.
      let message = try vector.bytes("Msg").prefix(vector.number("Len") / 8)
      #expect(try Digest.sha256(Array(message)) == vector.bytes("MD"))
    }
    #expect(cases.count == count)
  }
}

@Suite struct RandomBytesTests {
  @Test func `gives as many bytes as asked for, different each time`() throws {
    #expect(try RandomBytes.make(0).isEmpty)
    let values = try (0..<1000).map { _ in try RandomBytes.make(16) }
    #expect(values.allSatisfy { $0.count == 16 })
    #expect(Set(values).count == 1000)
    #expect(throws: CryptoError.badParameters) { try RandomBytes.make(-1) }
  }
}

@Suite struct ConstantTimeTests {
  @Test func `finds a difference wherever it is`() {
    let bytes = [UInt8](0..<100)
    #expect(ConstantTime.equal(bytes, [UInt8](0..<100)))
    #expect(ConstantTime.equal([], []))
    #expect(!ConstantTime.equal(bytes, Array(bytes.dropLast())))
    #expect(!ConstantTime.equal([], [0]))
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 0x80
      #expect(!ConstantTime.equal(bytes, other))
    }
  }
}
