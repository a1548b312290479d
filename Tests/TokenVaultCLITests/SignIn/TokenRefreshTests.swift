import Foundation
import Testing
import TokenVaultTestSupport

/// `tokenvault token` when a request to the provider is necessary.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TokenRefreshTests {
  @Test func aStoredTokenIsServedWithoutTheProvider() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let before = try home.provider.log().count
    let token = try home.json("tokenvault token --scope User.Read --json")
    #expect(token["fromCache"] as? Bool == true)
    #expect(
      try home.run("tokenvault token").output == "\(token["accessToken"] as? String ?? "")\n")
    #expect(try home.provider.log().count == before)
  }

  @Test func anExpiredTokenIsRenewed() throws {
    // Shorter than the five minutes that a token must still be valid.
    let home = try SignInHome(#"{"accessTokenLifetime": 200}"#)
    #expect(try home.signIn().status == 0)
    try home.provider.change(#"{"accessTokenLifetime": 3600}"#)
    let renewed = try home.json("tokenvault token --json")
    #expect(renewed["fromCache"] as? Bool == false)
    let again = try home.json("tokenvault token --json")
    #expect(again["fromCache"] as? Bool == true)
    #expect(again["accessToken"] as? String == renewed["accessToken"] as? String)
    #expect(try home.provider.counter("refreshes") == 1)
  }

  @Test func aTokenWhoseRefreshIsDueIsRenewedWhileItIsStillValid() throws {
    let home = try SignInHome(#"{"refreshIn": 1}"#)
    #expect(try home.signIn().status == 0)
    try home.provider.change(#"{"refreshIn": 1800}"#)
    // The plain form, which WarmToken handles.
    var latest = ""
    while try home.provider.counter("refreshes") == 0 {
      latest = try home.run("tokenvault token").output
    }
    #expect(try home.provider.counter("refreshes") == 1)
    #expect(try home.run("tokenvault token").output == latest)
    #expect(try home.provider.counter("refreshes") == 1)
  }

  @Test func aNewTokenIsFetchedWhenItIsRequested() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let first = try home.run("tokenvault token").output
    let forced = try home.json("tokenvault token --force-refresh --json")
    #expect(forced["fromCache"] as? Bool == false)
    #expect("\(forced["accessToken"] as? String ?? "")\n" != first)
    let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
    let claimed = try home.json("tokenvault token --claims '\(claims)' --json")
    #expect(claimed["fromCache"] as? Bool == false)
    #expect(try home.provider.counter("refreshes") == 2)
    #expect(try home.run("tokenvault token --claims nonsense").status == 64)
  }

  @Test func theSuggestedCommandSignsIn() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    try home.provider.control("revoke-user?username=ada@contoso.example")
    let refused = try home.run("tokenvault token --force-refresh")
    #expect(refused.status == 4)
    #expect(refused.output.isEmpty)
    let next = try #require(refused.errors.firstMatch(of: /\nnext: (tokenvault sign-in .*)\n/))
      .output.1
    #expect(
      next
        == "tokenvault sign-in --client-id \(ProviderProcess.client) --authority "
        + "\(home.provider.url)/common/v2.0 --scope User.Read --login-hint ada@contoso.example")
    #expect(try home.run("\(next) --browser \"$ADA\"").status == 0)
    #expect(try home.run("tokenvault token --force-refresh").status == 0)
    // The suggested command has the scope that lacks consent.
    let consent = try home.run("tokenvault token --scope Mail.Read")
    #expect(consent.status == 4)
    #expect(consent.errors.contains("consent_required"))
    let wanted = try #require(consent.errors.firstMatch(of: /\nnext: (.*)\n/)).output.1
    #expect(wanted.contains(" --scope Mail.Read "))
    #expect(try home.run("\(wanted) --browser \"$ADA\"").status == 0)
    #expect(try home.run("tokenvault token --scope Mail.Read").status == 0)
  }

  @Test func providerErrorsHaveTheirOwnExitStatus() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    try home.provider.fault(
      #"{"endpoint": "token", "error": "invalid_client", "description": "No."}"#)
    let refused = try home.run("tokenvault token --force-refresh --client-id $C")
    #expect(refused.status == 76)
    #expect(refused.errors.contains("The provider refused the request: invalid_client: "))
    try home.provider.fault(#"{"endpoint": "token", "status": 429, "retryAfter": 60}"#)
    let busy = try home.run("tokenvault token --force-refresh")
    #expect([69, 76].contains(busy.status))
    let quiet = try home.run("tokenvault token --force-refresh")
    #expect(quiet.status == 69)
    #expect(quiet.errors.contains("try again in "))
    #expect(try home.run("tokenvault token").status == 0)
  }

  @Test func anExpiredTokenIsPrintedDuringAnOutageIfItIsAllowed() throws {
    let home = try SignInHome(#"{"accessTokenLifetime": 200, "extExpiresIn": 7200}"#)
    #expect(try home.signIn().status == 0)
    try home.provider.fault(#"{"endpoint": "token", "status": 503, "count": 8}"#)
    let without = try home.run("tokenvault token --min-validity 10m")
    #expect(without.status != 0)
    #expect(without.output.isEmpty)
    let with = try home.run("tokenvault token --min-validity 10m --extended-lifetime")
    #expect(with.status == 0, "\(with.errors)")
    #expect(!with.output.isEmpty)
  }
}
