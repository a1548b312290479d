import Testing

@testable import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct TimestampTests {
  @Test func aTimestampStopsAtTheEndsOfItsRange() {
    #expect(Timestamp(epochSeconds: .max).advanced(by: 1).epochSeconds == .max)
    #expect(Timestamp(epochSeconds: .min).advanced(by: -1).epochSeconds == .min)
    #expect(Timestamp(epochSeconds: 5).advanced(by: -7).epochSeconds == -2)
    #expect(Timestamp(epochSeconds: -1) < Timestamp(epochSeconds: 0))
  }
}
