import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto

/// An account that `tokenvault` and the real MSAL for Python use in turn.
@Suite(.timeLimit(.minutes(10))) struct MSALInteroperationTests {
  private static func digest(_ text: String) throws -> String {
    let bytes = Array(text.trimmingCharacters(in: .newlines).utf8)
    return try Digest.sha256(bytes).map {
      String(UInt16($0) + 0x100, radix: 16).suffix(2)
    }.joined()
  }

  @Test func msalUsesAndRefreshesAnExportAndTokenvaultImportsTheResult() throws {
    let provider = try NanoIDP(.forMSAL)
    let browser = try HeadlessBrowser(.ada, authorityFile: provider.authorityFile)
    let workstation = try Workstation(trusting: provider.authorityFile)
    try NanoIDPTests.signIn(at: provider, in: browser, workstation, "--scope", "email")
    let token = try workstation.succeed("token")
    let cache = try workstation.export()

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

    // The provider revokes the family if a refresh token is reused, so the import must have
    // replaced it with the newer one.
    try workstation.succeed("import", cache.path)
    #expect(try workstation.accounts() == ["ada"])
    #expect(try Self.digest(workstation.succeed("token")) == refreshed.accessToken)
    let next = try workstation.succeed("token", "--force-refresh")
    #expect(try Self.digest(next) != refreshed.accessToken)

    let last = try MSALClient(provider, cache: workstation.export())
    #expect(try last.answerFromCache().accessToken == Self.digest(next))
    #expect(try last.refresh().source == "identity_provider")
  }

  @Test(arguments: [MSALClient.Flow.code, .device])
  func tokenvaultUsesAnImportOfMSALsSignIn(_ flow: MSALClient.Flow) throws {
    var configuration = NanoIDP.Configuration.forMSAL
    configuration.tokenMinutes = 20
    let provider = try NanoIDP(configuration)
    let browser = try HeadlessBrowser(.bob, authorityFile: provider.authorityFile)
    let workstation = try Workstation(trusting: provider.authorityFile)
    let cache = workstation.home.appending(path: "msal.json")
    let client = MSALClient(provider, cache: cache)
    let signedIn = try client.signIn(flow, in: browser)
    #expect(signedIn.error == nil)

    try workstation.succeed("import", cache.path)
    #expect(try Self.digest(workstation.succeed("token")) == signedIn.accessToken)
    let forced = try workstation.succeed("token", "--force-refresh")
    #expect(try Self.digest(forced) != signedIn.accessToken)
    // A token that does not last long enough is refreshed like an expired one.
    let later = try workstation.succeed("token", "--min-validity", "30m")
    #expect(later != forced)

    let back = try MSALClient(provider, cache: workstation.export())
    let silent = try back.answerFromCache()
    #expect(try silent.accessToken == Self.digest(later))
    #expect(try back.refresh().source == "identity_provider")
    try workstation.succeed("sign-out", "--all", "--yes")
  }

  /// MSAL stores tokens without an account if a provider sends no ID token.
  @Test func anMSALCacheWithTokensWithoutAnAccountCanBeImported() throws {
    let provider = try NanoIDP(.forMSAL)
    let browser = try HeadlessBrowser(.ada, authorityFile: provider.authorityFile)
    let workstation = try Workstation(trusting: provider.authorityFile)
    let cache = workstation.home.appending(path: "msal.json")
    let client = MSALClient(provider, cache: cache)
    _ = try client.signIn(.code, in: browser)
    // MSAL stores the access token of this refresh under an empty account.
    let refreshed = try client.refresh(withoutIDToken: true)
    #expect(refreshed.source == "identity_provider")
    // MSAL stores the tokens of this device sign-in under no account.
    _ = try client.signIn(.device, in: browser, withoutIDToken: true)

    let output = try workstation.succeed("import", cache.path)
    #expect(try workstation.accounts().contains("ada"), "\(output)")
    try workstation.succeed("token", "--force-refresh", "--account", "ada")
    let back = try MSALClient(provider, cache: workstation.export())
    #expect(try back.answerFromCache().source == "cache")
  }
}
