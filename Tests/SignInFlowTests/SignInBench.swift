import Foundation
import TokenVaultSignIn
import TokenVaultSignInTransport
import Synchronization
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

/// A vault, a provider and a person with a browser, for one test.
final class SignInBench: Sendable {
  let vault: TestVault
  let provider: ProviderProcess
  let browser: TestBrowser

  init(_ configuration: String? = nil, manifest: GroupManifest? = nil) throws {
    vault = try TestVault(manifest: manifest)
    vault.clock.withLock { $0 = Int64(Date().timeIntervalSince1970) }
    vault.tickingFrom.withLock { $0 = .now }
    provider = try ProviderProcess(configuration)
    browser = TestBrowser(provider.url)
  }

  func authority(_ path: String = "common/v2.0") throws -> Authority {
    try Authority("\(provider.url)/\(path)")
  }

  func application(
    _ path: String = "common/v2.0", client: String = ProviderProcess.client
  ) throws -> ApplicationConfiguration {
    ApplicationConfiguration(clientID: client, authority: try authority(path))
  }

  var platform: SignInPlatform {
    SignInPlatform(
      transport: CurlTransport(), receiver: SystemRedirectReceiver(runtimeDirectory: nil),
      browser: browser)
  }

  /// What another process would be.
  func acquisition(_ cancellation: Cancellation = Cancellation()) -> Acquisition {
    Acquisition(vault.core(), platform: platform, cancellation)
  }

  /// Signs accounts out as another process would.
  func signOut(
    _ accounts: [String], _ options: SignOutOptions = SignOutOptions()
  ) throws -> SignOutReport {
    try Revocation(acquisition()).signOut(
      .accounts(accounts.map(AccountReference.init(parsing:))), options)
  }

  /// Signs somebody in through the pages of the provider.
  @discardableResult
  func signIn(
    as username: String, scopes: String = "User.Read",
    _ application: ApplicationConfiguration? = nil,
    _ change: (inout InteractiveRequest) -> Void = { _ in }
  ) throws -> TokenResult {
    browser.username.withLock { $0 = username }
    var request = InteractiveRequest(scopes: ScopeSet(target: scopes))
    change(&request)
    return try acquisition().interactive(request, application ?? self.application())
  }

  func silent(
    _ scopes: String = "User.Read", of account: String,
    client: String? = ProviderProcess.client, _ change: (inout SilentOptions) -> Void = { _ in }
  ) throws -> TokenResult {
    var options = SilentOptions()
    change(&options)
    return try acquisition().silent(
      TokenRequest(scopes: ScopeSet(target: scopes), clientID: client),
      of: AccountReference(parsing: account),
      options)
  }

  /// Lets time pass, here and at the provider.
  func advance(by seconds: Int64) throws {
    vault.clock.withLock { $0 += seconds }
    try provider.advanceClock(by: Double(seconds))
  }
}

/// Plays the browser on a thread of its own: follows the provider's pages and brings the answer to
/// the listener.
final class TestBrowser: BrowserOpening {
  let username = Mutex("ada@contoso.example")
  let hand: HandBrowser
  /// Does something else with the address than signing in.
  let script = Mutex<(@Sendable (HandBrowser, String) throws -> Void)?>(nil)
  /// The page that the listener answered with.
  let lastPage = Mutex("")
  let opened = Mutex<[String]>([])

  init(_ provider: String) { hand = HandBrowser(provider) }

  func open(_ address: HTTPURL) -> Bool {
    let url = address.description
    opened.withLock { $0.append(url) }
    let (name, script) = (username.withLock { $0 }, script.withLock { $0 })
    Thread.detachNewThread { [self] in
      do {
        if let script { return try script(hand, url) }
        let location = try hand.signIn(at: url, as: name)
        let page = try RawHTTP.send("GET", location)
        lastPage.withLock { $0 = page.text }
      } catch {
        // The sign-in then runs into its deadline, and the test says so.
        lastPage.withLock { $0 = "\(error)" }
      }
    }
    return true
  }
}
