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
    let home = try SignInHome(#"{"accessTokenLifetime": 1}"#)
    #expect(try home.signIn().status == 0)
    try home.provider.change(#"{"accessTokenLifetime": 3600}"#)
    var renewed = try home.json("tokenvault token --json")
    while renewed["fromCache"] as? Bool == true {
      renewed = try home.json("tokenvault token --json")
    }
    let again = try home.json("tokenvault token --json")
    #expect(again["fromCache"] as? Bool == true)
    #expect(again["accessToken"] as? String == renewed["accessToken"] as? String)
    #expect(try home.provider.counter("refreshes") == 1)
  }

  @Test func aTokenWhoseRefreshIsDueIsRenewedWhileItIsStillValid() throws {
    let home = try SignInHome(#"{"refreshIn": 1}"#)
    #expect(try home.signIn().status == 0)
    try home.provider.change(#"{"refreshIn": 1800}"#)
    // The plain form, which the front handles.
    let program = try Installation(beside: home.home).program.path
    var latest = ""
    while try home.provider.counter("refreshes") == 0 {
      latest = try home.run("\(program) token").output
    }
    #expect(try home.provider.counter("refreshes") == 1)
    #expect(try home.run("\(program) token").output == latest)
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
    try expectNeed(of: home)
    #expect(try home.run("\(next) --browser \"$ADA\"").status == 0)
    #expect(!(try home.run("tokenvault status").output.contains("needs")))
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

  /// The stored token works, but nothing renews it any more.
  private func expectNeed(of home: SignInHome) throws {
    #expect(try home.run("tokenvault token").status == 0)
    let status = try home.run("tokenvault status")
    #expect(status.status == 0)
    let text = status.output
    #expect(text.contains(/\ntoken +expires in (?:1 h|5\d min), needs sign-in\n/), "\(text)")
    let need = /\nada@contoso\.example needs a new sign-in\. The stored token works until \S+Z/
    #expect(text.contains(need), "\(text)")
    #expect(text.contains("renews it.\nnext: tokenvault sign-in ada@contoso.example\n"), "\(text)")
    #expect(try home.run("tokenvault status --json").output.contains(#""code":"signInNeeded""#))
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
    #expect(busy.status == 69)
    #expect(
      busy.errors.contains("The provider is rate-limiting requests: POST \(home.provider.url)"))
    #expect(busy.errors.contains("The stored token still works until "))
    let quiet = try home.run("tokenvault token --force-refresh")
    #expect(quiet.status == 69)
    #expect(quiet.errors.contains("The provider asked us to wait; try again in "))
    #expect(quiet.errors.firstMatch(of: /\nnext: run the command again in \d+ s\n/) != nil)
    #expect(try home.run("tokenvault token").status == 0)
  }

  @Test func aFailureAMomentAgoIsNoRateLimit() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    try home.provider.fault(#"{"endpoint": "token", "status": 503}"#)
    #expect(try home.run("tokenvault token --force-refresh").status == 69)
    let quiet = try home.run("tokenvault token --force-refresh")
    #expect(quiet.status == 69)
    #expect(
      quiet.errors.firstMatch(of: /The provider failed a moment ago; try again in \d+ s\./) != nil,
      "\(quiet.errors)")
  }

  @Test func theIDsOfARefusedRequestHaveALineOfTheirOwn() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    try home.provider.fault(
      #"{"endpoint": "token", "error": "invalid_grant", "suberror": "consent_required", "#
        + #""description": "Consent is needed."}"#)
    let run = try home.run("tokenvault token --force-refresh")
    #expect(run.status == 4)
    let lines = run.errors.split(separator: "\n")
    #expect(
      lines.first?.hasSuffix(
        "invalid_grant (consent_required): AADSTS50000: Consent is needed.") == true,
      "\(run.errors)")
    #expect(
      lines.dropFirst().first?.firstMatch(of: /^  Trace ID: .* Correlation ID: .* Timestamp: .+/)
        != nil,
      "\(run.errors)")
    #expect(lines.last?.hasPrefix("next: tokenvault sign-in ") == true)
  }

  @Test func aClientThatNobodyUsedIsNoReasonToSignIn() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let run = try home.run("tokenvault token --client-id nope")
    #expect(run.status == 66)
    #expect(
      run.errors.contains(
        "ada@contoso.example has no tokens of the client \"nope\". Its clients:\n  "
          + "\(ProviderProcess.client)\nnext: run the command again with one of these clients\n"
          + "or, for a new client: tokenvault sign-in --client-id nope "), "\(run.errors)")
    let json = try home.run("tokenvault token --client-id nope --json")
    #expect(json.errors.hasPrefix(#"{"code":"unknownClient","#), "\(json.errors)")
  }

  @Test(arguments: [
    (#"{"endpoint": "token", "status": 503}"#, "The provider is unavailable: POST http"),
    (#"{"endpoint": "token", "status": 503}"#, "/token answered 503."),
    (#"{"endpoint": "discovery", "status": 502}"#, "openid-configuration answered 502."),
    (#"{"endpoint": "token", "raw": "<html>Log in</html>"}"#, "A proxy or a captive portal"),
    (
      #"{"endpoint": "token", "raw": "<html>Log in</html>", "status": 404}"#,
      "answered 404, but not with"
    ),
    (
      #"{"endpoint": "discovery", "raw": "<html>Log in</html>", "count": 2}"#,
      "openid-configuration answered, but not with an OAuth response."
    ),
    (
      #"{"endpoint": "token", "error": "temporarily_unavailable", "status": 503}"#,
      "answered 503: temporarily_unavailable"
    ),
    (#"{"endpoint": "token", "ending": "cut"}"#, "Cannot connect to 127.0.0.1:"),
    (#"{"endpoint": "keys", "status": 503}"#, "The refresh token was kept."),
    // libcurl sends a GET again if a connection that it used before is cut.
    (#"{"endpoint": "keys", "ending": "cut", "count": 2}"#, "The refresh token was kept."),
  ])
  func anOutageIsToldApartFromARefusal(fault: String, words: String) throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let stored = try home.run("tokenvault token").output
    try home.provider.fault(fault)
    let down = try home.run("tokenvault token --min-validity 2h")
    #expect(down.status == 69, "\(down.errors)")
    #expect(down.output.isEmpty)
    #expect(down.errors.contains(words), "\(down.errors)")
    #expect(down.errors.contains("The stored token still works until "), "\(down.errors)")
    #expect(try home.run("tokenvault token").output == stored)
  }

  @Test func aCaptivePortalIsNoRefusal() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    try home.provider.fault(
      #"{"endpoint": "token", "status": 401, "raw": "<html>Please log in</html>"}"#)
    let run = try home.run("tokenvault token --force-refresh")
    #expect(run.status == 76)
    #expect(run.errors.contains("A proxy or a captive portal may have sent it."))
    #expect(
      run.errors.contains(
        "\nnext: run the command again\nif it fails again: tokenvault sign-in --client-id "))
    #expect(try home.run("tokenvault token --force-refresh").status == 0)
  }

  @Test func aTokenOfFiveMinutesIsRenewedOnceForManyCommands() throws {
    let home = try SignInHome(#"{"accessTokenLifetime": 300, "refreshIn": 0}"#)
    #expect(try home.signIn().status == 0)
    let first = try home.run("tokenvault token").output
    // The plain form, which the front handles, and the full command.
    let program = try Installation(beside: home.home).program.path
    for _ in 0..<2 {
      #expect(try home.run("\(program) token").output == first)
      #expect(try home.json("tokenvault token --json")["fromCache"] as? Bool == true)
    }
    #expect(try home.provider.counter("refreshes") == 0)
    #expect(try home.run("tokenvault token --min-validity 5m").output != first)
    #expect(try home.provider.counter("refreshes") == 1)
  }

  /// A home whose user signed in at a plain OpenID Connect provider.
  private func plainHome() throws -> SignInHome {
    let home = try SignInHome()
    let run = try home.run(
      "tokenvault sign-in --client-id $C --authority $U/oidc/one --scope User.Read --timeout 60s "
        + "--browser \"$ADA\"")
    #expect(run.status == 0, "\(run.errors)")
    return home
  }

  @Test(arguments: [false, true])
  func rfc6749_section6_aScopeBeyondTheGrantNeedsASignIn(isSilent: Bool) throws {
    let home = try plainHome()
    if isSilent {
      // A provider that grants less than was asked for, without an error.
      let answer =
        #"{\"access_token\": \"x\", \"token_type\": \"Bearer\", \"scope\": \"User.Read\"}"#
      try home.provider.fault(#"{"grant": "refresh_token", "raw": "\#(answer)"}"#)
    }
    let run = try home.run("tokenvault token --scope Mail.Read")
    #expect(run.status == 4, "\(run.errors)")
    #expect(run.output.isEmpty)
    let next = try #require(run.errors.firstMatch(of: /\nnext: (tokenvault sign-in .*)\n/)).output.1
    // The new sign-in replaces the old one, so it keeps the old scope.
    #expect(next.contains(" --scope User.Read --scope Mail.Read "), "\(run.errors)")
    #expect(try home.run("\(next) --browser \"$ADA\"").status == 0)
    #expect(try home.run("tokenvault token --scope Mail.Read").status == 0)
    #expect(try home.run("tokenvault token --scope User.Read").status == 0)
  }

  @Test func anAccountThatIsSignedOutDuringARefreshIsReportedAsSignedOut() throws {
    let home = try plainHome()
    try home.provider.fault(#"{"grant": "refresh_token", "delayAfter": 10000}"#)
    let run = try home.run("tokenvault token --force-refresh") {
      while try home.provider.counter("refreshes") == 0 { usleep(20_000) }
      #expect(try home.run("tokenvault sign-out ada@contoso.example").status == 0)
    }
    #expect(run.status == 4)
    #expect(run.errors.contains("ada@contoso.example is signed out."), "\(run.errors)")
    let next = try #require(run.errors.firstMatch(of: /\nnext: (tokenvault sign-in .*)\n/)).output.1
    #expect(!run.errors.contains("import"))
    #expect(try home.run("\(next) --browser \"$ADA\"").status == 0)
    #expect(try home.run("tokenvault token --scope User.Read").status == 0)
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
