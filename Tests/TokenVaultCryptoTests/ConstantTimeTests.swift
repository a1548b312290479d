import Testing
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(5))) struct ConstantTimeTests {
  @Test func findsADifferenceInEveryPosition() {
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
