import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto

/// One account, by turns in the hands of the product and of the real MSAL for Python.
@Suite("tokenvault and MSAL for Python at one provider")
struct MSALInteroperationTests {
  private static func digest(_ text: String) throws -> String {
    let bytes = Array(text.trimmingCharacters(in: .newlines).utf8)
    return try Digest.sha256(bytes).map {
      String(UInt16($0) + 0x100, radix: 16).suffix(2)
    }.joined()
  }

  @Test("MSAL answers silently from what tokenvault exported, refreshes it, and gives it back")
  func exported() throws {
    let provider = try NanoIDP(.forMSAL)
    let browser = try HeadlessBrowser(.ada, authorityFile: provider.authorityFile)
    let desk = try Desk(trusting: provider.authorityFile)
    try NanoIDPTests.signIn(at: provider, in: browser, desk, "--scope", "email")
    let token = try desk.succeed("token")
    let cache = try desk.export()

    let client = MSALClient(provider, cache: cache)
    let silent = try client.answerFromCache()
    #expect(silent.error == nil)
    #expect(silent.posts == 0)
    #expect(silent.source == "cache")
    #expect(try silent.accessToken == Self.digest(token))
    #expect(silent.accounts.map(\.identifier) == ["ada"])
    let refreshed = try client.refresh()
    #expect(refreshed.source == "identity_provider")
    #expect(try refreshed.accessToken != Self.digest(token))

    // The provider ends all of it where a refresh token is used twice, so this one is the newer.
    try desk.succeed("import", cache.path)
    #expect(try desk.accounts() == ["ada"])
    #expect(try Self.digest(desk.succeed("token")) == refreshed.accessToken)
    let next = try desk.succeed("token", "--force-refresh")
    #expect(try Self.digest(next) != refreshed.accessToken)

    let last = try MSALClient(provider, cache: desk.export())
    #expect(try last.answerFromCache().accessToken == Self.digest(next))
    #expect(try last.refresh().source == "identity_provider")
  }

  @Test("tokenvault goes on with what MSAL signed in", arguments: [MSALClient.Flow.code, .device])
  func imported(_ flow: MSALClient.Flow) throws {
    var configuration = NanoIDP.Configuration.forMSAL
    configuration.tokenMinutes = 20
    let provider = try NanoIDP(configuration)
    let browser = try HeadlessBrowser(.bob, authorityFile: provider.authorityFile)
    let desk = try Desk(trusting: provider.authorityFile)
    let cache = desk.home.appending(path: "msal.json")
    let client = MSALClient(provider, cache: cache)
    let signedIn = try client.signIn(flow, in: browser)
    #expect(signedIn.error == nil)

    try desk.succeed("import", cache.path)
    #expect(try Self.digest(desk.succeed("token")) == signedIn.accessToken)
    let forced = try desk.succeed("token", "--force-refresh")
    #expect(try Self.digest(forced) != signedIn.accessToken)
    // What does not last long enough is as good as expired.
    let later = try desk.succeed("token", "--min-validity", "30m")
    #expect(later != forced)

    let back = try MSALClient(provider, cache: desk.export())
    let silent = try back.answerFromCache()
    #expect(try silent.accessToken == Self.digest(later))
    #expect(try back.refresh().source == "identity_provider")
    try desk.succeed("sign-out", "--all", "--yes")
  }

  @Test("Tokens without an account, which MSAL leaves where a provider sends no ID token")
  func withoutAccount() throws {
    let provider = try NanoIDP(.forMSAL)
    let browser = try HeadlessBrowser(.ada, authorityFile: provider.authorityFile)
    let desk = try Desk(trusting: provider.authorityFile)
    let cache = desk.home.appending(path: "msal.json")
    let client = MSALClient(provider, cache: cache)
    _ = try client.signIn(.code, in: browser)
    // A refresh's access token goes under an empty account.
    let refreshed = try client.refresh(withoutIDToken: true)
    #expect(refreshed.source == "identity_provider")
    // A device's tokens go under none.
    _ = try client.signIn(.device, in: browser, withoutIDToken: true)

    let told = try desk.succeed("import", cache.path)
    #expect(try desk.accounts().contains("ada"), "\(told)")
    try desk.succeed("token", "--force-refresh", "--account", "ada")
    let back = try MSALClient(provider, cache: desk.export())
    #expect(try back.answerFromCache().source == "cache")
  }
}
