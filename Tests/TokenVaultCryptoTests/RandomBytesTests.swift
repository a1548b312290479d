import Testing
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(5))) struct RandomBytesTests {
  @Test func returnsTheRequestedNumberOfBytesDifferentEachTime() throws {
    #expect(try RandomBytes.make(0).isEmpty)
    let values = try (0..<1000).map { _ in try RandomBytes.make(16) }
    #expect(values.allSatisfy { $0.count == 16 })
    #expect(Set(values).count == 1000)
    #expect(throws: CryptoError.badParameters) { try RandomBytes.make(-1) }
  }
}
