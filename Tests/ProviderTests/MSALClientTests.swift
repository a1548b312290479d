import Foundation
import Testing
import TokenVaultTestSupport

/// That the real MSAL for Python does its part, without the product.
@Suite("MSAL for Python at a provider that is not ours")
struct MSALClientTests {
  @Test("It signs in, answers from its cache without a request, and refreshes with rotation")
  func wholeLife() throws {
    let provider = try NanoIDP(.forMSAL)
    let browser = try HeadlessBrowser(.ada, authorityFile: provider.authorityFile)
    let cache = URL(filePath: NSTemporaryDirectory()).appending(path: "\(UUID().uuidString).json")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: cache) } }
    let client = MSALClient(provider, cache: cache)

    let signedIn = try client.signIn(.code, in: browser)
    #expect(signedIn.error == nil)
    #expect(signedIn.accounts.map(\.identifier) == ["ada"])
    let silent = try client.answerFromCache()
    #expect(silent.source == "cache")
    #expect(silent.posts == 0)
    #expect(silent.accessToken == signedIn.accessToken)
    let refreshed = try client.refresh()
    #expect(refreshed.source == "identity_provider")
    #expect(refreshed.accessToken != signedIn.accessToken)
    #expect(refreshed.refreshToken != signedIn.refreshToken)
  }
}
