import Foundation
import Testing
import TokenVaultTestSupport

/// The real MSAL for Python without `tokenvault`. A failure here is not an error in `tokenvault`.
@Suite(.timeLimit(.minutes(10))) struct MSALClientTests {
  @Test func msalSignsInAnswersFromItsCacheAndRefreshesWithRotation() throws {
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
