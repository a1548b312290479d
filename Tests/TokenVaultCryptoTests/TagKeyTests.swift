import Testing
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(5))) struct TagKeyTests {
  @Test func matchesTheVectorsOfRFC4231AlsoTheSecondTime() throws {
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

  @Test func keysOfOneProcessDoNotShareState() throws {
    let a = try TagKey(SecretBytes(copying: [1]))
    let b = try TagKey(SecretBytes(copying: [2]))
    let first = try a.tag([])
    #expect(try b.tag([]) != first)
    #expect(try a.tag([]) == first)
  }
}
