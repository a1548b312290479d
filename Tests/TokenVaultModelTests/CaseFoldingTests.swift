import Testing

@testable import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct CaseFoldingTests {
  @Test func namesAreComparedWithoutCaseAndByteForByte() {
    #expect(CaseFolding.equal("Alice@Contoso.EXAMPLE", "alice@contoso.example"))
    #expect(CaseFolding.equal("ÄÖ", "äö"))
    #expect(!CaseFolding.equal("\u{e9}", "e\u{301}"))
    #expect(CaseFolding.fold("A") == [97])
  }
}
