import Testing
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(1))) struct SignInForecastTests {
  @Test func ofTokensThatNothingRenewsTheFirstClientCounts() {
    func token(_ client: String, _ end: Timestamp?) -> Credential {
      var token = Person.ada.access("fake-at", client: client).credential
      token.expiresOn = end
      return token
    }
    let (early, late) = (Timestamp(epochSeconds: 1000), Timestamp(epochSeconds: 2000))
    func end(_ tokens: Credential...) -> Timestamp? { AccountRecord.end(ofUnrenewed: tokens) }
    #expect(end(token("a", .never), token("b", early)) == early)
    #expect(end(token("a", early), token("A", late)) == late)
    #expect(end(token("a", .never), token("b", .never)) == .never)
    #expect(end(token("a", nil)) == nil && end() == nil)
  }
}
