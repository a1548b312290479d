import Testing
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(5))) struct DigestTests {
  @Test(arguments: [("SHA256ShortMsg", 65), ("SHA256LongMsg", 64)])
  func matchesTheVectorsOfNIST(file: String, count: Int) throws {
    let cases = try vectors("hashes/SHA2/\(file).rsp", first: "Len")
    for vector in cases {
      // NIST's files represent the empty message as one zero byte.
      let message = try vector.bytes("Msg").prefix(vector.number("Len") / 8)
      #expect(try Digest.sha256(Array(message)) == vector.bytes("MD"))
    }
    #expect(cases.count == count)
  }
}
