import TokenVaultSignIn
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

/// A sign-in through the browser at the embedded provider.
@Suite(.timeLimit(.minutes(10))) struct SignInTests {
  @Test func aSignInIsStoredAndServedSilently() throws {
    let bench = try SignInBench()
    let result = try bench.signIn(as: "ada@contoso.example")
    #expect(result.account.username == "ada@contoso.example")
    #expect(!result.isFromCache)
    let served = try bench.silent(of: "ada@contoso.example")
    #expect(served.isFromCache)
    #expect(served.accessToken.reveal() == result.accessToken.reveal())
    #expect(try bench.provider.counter("refreshes") == 0)
    try bench.advance(by: 4000)
    let refreshed = try bench.silent(of: "ada@contoso.example")
    #expect(!refreshed.isFromCache)
    #expect(try bench.provider.counter("refreshes") == 1)
  }
}
