import Foundation
import TokenVaultSignIn
import TokenVaultSignInTransport
import Synchronization
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

/// A vault, a provider and a user with a browser, for one test.
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

  /// An acquisition, as another process would make it.
  func acquisition(_ cancellation: Cancellation = Cancellation()) -> Acquisition {
    Acquisition(vault.groupSession(), platform: platform, cancellation)
  }

  /// Signs accounts out as another process would.
  func signOut(
    _ accounts: [String], _ options: SignOutOptions = SignOutOptions()
  ) throws -> SignOutReport {
    try Revocation(acquisition()).signOut(
      .accounts(accounts.map { AccountReference(parsing: $0) }), options)
  }

  /// Signs a user in through the pages of the provider.
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

  /// Advances the clocks of the vault and of the provider.
  func advance(by seconds: Int64) throws {
    vault.clock.withLock { $0 += seconds }
    try provider.advanceClock(by: Double(seconds))
  }

  /// All accounts of the group.
  func accounts() throws -> [Account] { try vault.groupSession().accounts(.all).accounts }

  /// Waits until a counter of the provider reaches `count`.
  func wait(for counter: String, _ count: Int) throws {
    while try provider.counter(counter) < count { Thread.sleep(forTimeInterval: 0.01) }
  }
}
