import Foundation
import Testing
import TokenVault
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

/// Permissions that only an administrator of the tenant can consent to.
@Suite(.timeLimit(.minutes(10))) struct AdminConsentTests {
  private let ada = "ada@contoso.example"

  private func page(_ body: () throws -> Void) -> HTTPURL? {
    let error = #expect(throws: VaultError.self) { try body() }
    guard case .adminConsentRequired(let page, _)? = error?.signIn else {
      Issue.record("\(String(describing: error))")
      return nil
    }
    return page
  }

  @Test func aSignInWithoutAdminConsentNamesThePageToOpen() throws {
    let bench = try SignInBench(#"{"adminScopes": ["Mail.Read"]}"#)
    let application = try bench.application("contoso.example/v2.0")
    let page = try #require(
      page { try bench.signIn(as: ada, scopes: "User.Read Mail.Read", application) })
    #expect(page.path == "/contoso.example/v2.0/adminconsent")
    let items = URLComponents(string: page.description)?.queryItems ?? []
    let parameters = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
    #expect(
      parameters == [
        "client_id": ProviderProcess.client, "scope": "User.Read Mail.Read",
        "redirect_uri": "http://localhost",
      ])
    #expect(try bench.accounts().isEmpty)
    // An authority for all tenants has no administrators; the administrator's own tenant counts.
    let common = self.page { try bench.signIn(as: ada, scopes: "Mail.Read") }
    #expect(common?.path == "/organizations/v2.0/adminconsent")
  }

  @Test func aRefreshWithoutAdminConsentDoesNotAskTheUserToSignIn() throws {
    let bench = try SignInBench()
    try bench.signIn(as: ada)
    let refusal = #"{"grant": "refresh_token", "error": "invalid_grant", "#
    try bench.provider.fault(refusal + #""suberror": "consent_required", "code": 90094}"#)
    #expect(page { _ = try bench.silent("Mail.Read", of: ada) } != nil)
    try bench.advance(by: 200)
    // The user may be able to give this consent.
    try bench.provider.fault(refusal + #""suberror": "consent_required", "code": 65001}"#)
    let error = #expect(throws: VaultError.self) { try bench.silent("Mail.Send", of: ada) }
    #expect(error?.refusal?.numbers == [65001])
  }

  /// Signing in again does not meet a policy that requires an app protected by Intune.
  @Test func aProtectionPolicyIsReportedAsTheProvidersError() throws {
    let bench = try SignInBench()
    try bench.signIn(as: ada)
    try bench.provider.fault(
      #"{"grant": "refresh_token", "error": "unauthorized_client", "code": 530021, "#
        + #""suberror": "protection_policy_required"}"#)
    let error = #expect(throws: VaultError.self) { try bench.silent("Mail.Read", of: ada) }
    guard case .provider(let answer)? = error?.signIn else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(answer.code == "unauthorized_client")
    #expect(answer.suberror == "protection_policy_required")
    #expect(answer.numbers == [530021])
  }

  @Test func aDeviceCodeWithoutAdminConsentNamesThePageToOpen() throws {
    let bench = try SignInBench(#"{"deviceInterval": 1}"#)
    try bench.provider.fault(
      #"{"grant": "urn:ietf:params:oauth:grant-type:device_code", "error": "invalid_grant", "#
        + #""suberror": "consent_required", "code": 65001}"#)
    #expect(
      page { _ = try bench.acquisition().deviceCode(ScopeSet([]), bench.application()) } != nil)
  }

  @Test func anAdministratorConsentsForAllUsers() async throws {
    let bench = try SignInBench(#"{"adminScopes": ["Mail.Read"]}"#)
    let app = PublicClientApplication(
      try bench.application("contoso.example/v2.0"), vault: bench.vault.configuration(),
      platform: bench.platform)
    bench.browser.script.withLock {
      $0 = { hand, url in
        let end = try hand.answer(try hand.open(url), ["action": "accept"])
        try hand.deliver(end.headers["location"] ?? "")
      }
    }
    let tenant = try await app.requestAdminConsent(scopes: ScopeSet(["Mail.Read"]))
    #expect(tenant == "c0000000-0000-4000-8000-00000000c001")
    // The browser's arguments contain nothing of the request.
    #expect(bench.browser.arguments.withLock { $0 }.allSatisfy { $0.contains("/start/") })
    #expect(try bench.accounts().isEmpty)
    bench.browser.script.withLock { $0 = nil }
    let result = try bench.signIn(as: ada, scopes: "Mail.Read")
    #expect(result.scopes.scopes.contains("Mail.Read"))
  }

  @Test func aDeclinedAdminConsentIsReported() throws {
    let bench = try SignInBench()
    bench.browser.script.withLock {
      $0 = { hand, url in
        let end = try hand.answer(try hand.open(url), ["action": "cancel"])
        try hand.deliver(end.headers["location"] ?? "")
      }
    }
    let declined = page {
      _ = try bench.acquisition().adminConsent(
        ScopeSet(["Mail.Read"]), bench.application("organizations/v2.0"),
        deadlineMilliseconds: 60_000)
    }
    #expect(declined != nil)
    let error = #expect(throws: VaultError.self) {
      try bench.acquisition().adminConsent(
        ScopeSet([]), bench.application("oidc/main"), deadlineMilliseconds: 60_000)
    }
    #expect(error?.signIn == .notOffered(.adminConsent))
  }
}
