import Foundation
import Testing
import TokenVault
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

/// The page that the provider shows first, when the browser has a session already.
@Suite(.timeLimit(.minutes(5))) struct PromptTests {
  private let ada = "ada@contoso.example"
  private let grace = "grace@contoso.example"

  /// The prompt of the last page that was opened.
  private func prompt(_ bench: SignInBench) throws -> String? {
    let page = try #require(bench.browser.opened.withLock { $0.last })
    return URLComponents(string: page)?.queryItems?.first { $0.name == "prompt" }?.value
  }

  @Test func theBrowsersSessionDoesNotSignInTheSamePersonAgain() throws {
    let bench = try SignInBench()
    #expect(try !bench.signIn(as: ada) { $0.offersAccountPicker = true }.isSignedInAgain)
    #expect(try prompt(bench) == nil)
    let second = try bench.signIn(as: grace) { $0.offersAccountPicker = true }
    #expect(second.account.username == grace)
    #expect(!second.isSignedInAgain)
    #expect(try prompt(bench) == "select_account")
    #expect(try bench.accounts().count == 2)
    #expect(try bench.signIn(as: ada) { $0.offersAccountPicker = true }.isSignedInAgain)
  }

  @Test func thePickerIsOnlyRequestedForAnotherAccountOfTheSameClientAndProvider() throws {
    let bench = try SignInBench()
    try bench.signIn(as: ada)
    try bench.signIn(as: ada) {
      $0.offersAccountPicker = true
      $0.loginHint = "ADA@contoso.example"
    }
    #expect(try prompt(bench) == nil)
    try bench.signIn(as: ada) {
      $0.offersAccountPicker = true
      $0.prompt = .consent
    }
    #expect(try prompt(bench) == "consent")
    let family = try bench.application(client: ProviderProcess.familyClients[0])
    try bench.signIn(as: ada, family) { $0.offersAccountPicker = true }
    #expect(try prompt(bench) == nil)
    let other = try ProviderProcess()
    bench.browser.script.withLock {
      $0 = { _, url in
        let location = try HandBrowser(other.url).signIn(at: url, as: "grace@contoso.example")
        _ = try RawHTTP.send("GET", location)
      }
    }
    let elsewhere = ApplicationConfiguration(
      clientID: ProviderProcess.client, authority: try Authority("\(other.url)/common/v2.0"))
    try bench.signIn(as: grace, elsewhere) { $0.offersAccountPicker = true }
    #expect(try prompt(bench) == nil)
  }

  /// As in MSAL, the default of the library is "prompt if necessary".
  @Test(.parity("MSALPromptTypeSelectAccount", "MSALPromptTypePromptIfNecessary"))
  func theLibraryRequestsThePickerOnlyIfTheApplicationDoes() throws {
    let bench = try SignInBench()
    try bench.signIn(as: ada)
    let again = try bench.signIn(as: grace)
    #expect(again.account.username == ada)
    #expect(again.isSignedInAgain)
    #expect(try bench.signIn(as: grace) { $0.prompt = .selectAccount }.account.username == grace)
  }

  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
  func aProviderWithoutAPickerStillSignsIn(announcesPrompts: Bool, knowsLogin: Bool) throws {
    let prompts = knowsLogin ? #""login", "consent""# : #""consent""#
    let bench = try SignInBench(
      #"{"prompts": ["none", \#(prompts)], "announcesPrompts": \#(announcesPrompts)}"#)
    try bench.signIn(as: ada)
    let second = try bench.signIn(as: grace) { $0.offersAccountPicker = true }
    // Without a prompt, the browser's session signs in the first person again.
    #expect(second.account.username == (knowsLogin ? grace : ada))
    #expect(try prompt(bench) == (knowsLogin ? "login" : nil))
    // An explicit prompt is not replaced.
    if !announcesPrompts {
      let error = #expect(throws: VaultError.self) {
        try bench.signIn(as: grace) { $0.prompt = .selectAccount }
      }
      guard case .provider(let answer)? = error?.signIn else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(answer.code == "invalid_request")
    }
  }
}
