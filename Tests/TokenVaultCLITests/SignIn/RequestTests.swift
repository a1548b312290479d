import Foundation
import Testing
import TokenVaultTestSupport

/// `tokenvault request` against the APIs of a provider on this machine.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RequestTests {
  @Test func aSecondProcessUsesTheKeyOfABoundToken() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let call = "tokenvault request GET $U/v1.0/me --scope User.Read --pop"
    for _ in 0..<2 {
      let run = try home.run(call)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("Ada Lovelace"))
    }
    #expect(try home.provider.counter("refreshes") == 1)
    // It is never printed or sent as a bearer token.
    #expect(try home.run("tokenvault request GET $U/v1.0/me --scope User.Read").status == 0)
    #expect(try home.provider.counter("refreshes") == 1)
    let odd = try home.run("tokenvault request PURGE $U/v1.0/me --scope User.Read --pop")
    #expect(odd.status == 64)
  }

  @Test func aSilentServerIsNamedAndNotAwaitedBeyondTheTimeout() throws {
    let home = try home()
    try home.provider.fault(#"{"endpoint": "me", "ending": "hang"}"#)
    let run = try home.run("tokenvault request GET $U/v1.0/me --scope User.Read --timeout 4s")
    #expect(run.status == 69)
    #expect(
      run.errors.hasPrefix(
        """
        Waiting for 127.0.0.1. Ctrl-C cancels.
        tokenvault: 127.0.0.1:\(home.provider.url.split(separator: ":").last ?? "") did not answer in \
        time.
        """), "\(run.errors)")
    #expect(try home.run("tokenvault request GET $U/v1.0/me --timeout soon").status == 64)
  }

  private func home(_ configuration: String? = nil) throws -> SignInHome {
    let home = try SignInHome(configuration)
    #expect(try home.signIn().status == 0)
    return home
  }

  @Test func aResponseInJSONIsIndented() throws {
    let run = try home().run("tokenvault request GET $U/v1.0/me --scope User.Read")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("\n  \"userPrincipalName\": \"ada@contoso.example\""))
    #expect(run.errors.isEmpty)
  }

  @Test func withoutAScopeTheTokenIsForTheOriginOfTheURL() throws {
    let home = try home()
    // The user has not consented yet; the suggested command asks for consent.
    let wanted = try home.run("tokenvault request get $U/api/hello")
    #expect(wanted.status == 4)
    let next = try #require(wanted.errors.firstMatch(of: /\nnext: (.*)\n/)).output.1
    #expect(next.contains(" --scope \(home.provider.url)/.default "))
    #expect(try home.run("\(next) --browser \"$ADA\"").status == 0)
    let run = try home.run("tokenvault request get $U/api/hello")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("\"hello\": \"ada@contoso.example\""))
  }

  @Test func atAPlainProviderTheStoredTokenIsSentWithoutAScope() throws {
    let home = try SignInHome()
    let signIn = "tokenvault sign-in --client-id $C --authority $U/oidc/one --timeout 60s"
    #expect(try home.run("\(signIn) --scope User.Read --browser \"$ADA\"").status == 0)
    let run = try home.run("tokenvault request GET $U/v1.0/me")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("ada@contoso.example"))
    #expect(try home.provider.counter("refreshRequests") == 0)
    try home.provider.control("revoke-user?username=ada@contoso.example")
    try home.provider.advanceClock(by: 4000)
    let refused = try home.run("tokenvault request GET $U/v1.0/me")
    #expect(refused.status != 0 && !refused.errors.contains(".default"))
  }

  @Test func aBodyIsSentUnchanged() throws {
    let home = try home()
    let echo = "tokenvault request POST $U/api/echo --scope User.Read"
    // A number keeps its digits.
    #expect(try home.run("\(echo) --data '{\"n\":1.50}'").output == "{\n  \"n\": 1.50\n}\n")
    #expect(try home.run("echo plain >body; \(echo) --data @body").output == "plain\n")
    #expect(
      try home.run("printf 'a\\033b' | \(echo) --data - --header 'Content-Type: text/x'").output
        == "a\u{1b}b")
    let types = try home.provider.log().compactMap { ($0["headers"] as? [String: String]) }
      .compactMap { $0["content-type"] }
    if !types.isEmpty { #expect(types.contains("application/json") && types.contains("text/x")) }
    #expect(try home.run("\(echo) --data @missing").status == 66)
  }

  @Test func pagesAreReadToTheLastOne() throws {
    let home = try home(#"{"messages": 25, "pageSize": 10}"#)
    #expect(try home.signIn("ADA", "--scope Mail.Read").status == 0)
    let command = "tokenvault request GET $U/v1.0/me/messages --scope Mail.Read"
    let one = try home.json(command)
    #expect((one["value"] as? [Any])?.count == 10)
    let all = try home.run("\(command) --all")
    #expect(all.status == 0, "\(all.errors)")
    let values = try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [[String: Any]]
    #expect(values?.count == 25)
    #expect(values?.last?["id"] as? String == "message-25")
    #expect(try home.run("tokenvault request POST $U/v1.0/me/messages --all").status == 64)
  }

  @Test func aNextPageOnAnotherOriginGetsNoToken() throws {
    let home = try home()
    #expect(try home.signIn("ADA", "--scope Mail.Read").status == 0)
    let other = try ProviderProcess()
    try home.provider.fault(
      """
      {"endpoint": "messages", "set": {"@odata.nextLink": "\(other.url)/v1.0/me/messages"}}
      """)
    let run = try home.run("tokenvault request GET $U/v1.0/me/messages --scope Mail.Read --all")
    #expect(run.status == 76)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("@odata.nextLink"))
    #expect(try other.log().isEmpty)
  }

  @Test func aRedirectIsNotFollowed() throws {
    let home = try home()
    let other = try ProviderProcess()
    let run = try home.run(
      "tokenvault request GET \"$U/api/redirect?to=\(other.url)/api/hello\" --scope User.Read")
    #expect(run.status == 76)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("redirects to \"\(other.url)/api/hello"))
    #expect(try other.log().isEmpty)
  }

  @Test func aClaimsChallengeIsAnsweredOnce() throws {
    let home = try home(#"{"claimsChallenge": true}"#)
    let run = try home.run("tokenvault request GET $U/v1.0/me --scope User.Read")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("ada@contoso.example"))
    #expect(try home.provider.counter("claimsChallenges") == 1)
    #expect(try home.provider.counter("refreshes") == 1)
  }

  @Test func anUnansweredClaimsChallengeDoesNotLoop() throws {
    let home = try home(#"{"claimsChallenge": true, "refreshMeetsClaims": false}"#)
    let run = try home.run("tokenvault request GET $U/v1.0/me --scope User.Read")
    #expect([4, 76].contains(run.status))
    #expect(try home.provider.counter("claimsChallenges") <= 2)
    #expect(run.status != 4 || run.errors.contains(" --claims '{"))
  }

  @Test func anAPIErrorIsPrintedAndFails() throws {
    let home = try home()
    let run = try home.run("tokenvault request GET $U/v1.0/me/messages --scope User.Read")
    #expect(run.status == 76)
    #expect(run.output.contains("\"Authorization_RequestDenied\""))
    #expect(
      run.errors == """
        tokenvault: \(home.provider.url.dropFirst("http://".count)) answered 403. Stored tokens are \
        unchanged.
        next: run the command again after a look at the response above

        """)
  }

  @Test func aPageThatIsNoCollectionIsReportedAsTheAPIs() throws {
    let home = try home()
    let run = try home.run("tokenvault request GET $U/v1.0/me --scope User.Read --all")
    #expect(run.status == 76 && run.output.isEmpty)
    #expect(
      run.errors == """
        tokenvault: \(home.provider.url.dropFirst("http://".count)) answered without the array \
        "value", which --all collects. Stored tokens are unchanged.
        next: run the command again without --all

        """)
  }

  @Test(arguments: [
    ("GET http://api.example.com/", "would be reached without TLS"),
    ("GET ftp://127.0.0.1/", "The URL is not valid: write https://HOST/PATH"),
    ("GET https://user@api.example.com/", "The URL is not valid: write https://HOST/PATH"),
    ("'GET /' $U/api/hello", "The method is not valid"),
    (
      "GET $U/api/hello --header 'Authorization: Bearer x'",
      "The header Authorization cannot be set: tokenvault sets it."
    ),
    ("GET $U/api/hello --header 'Host: x'", "The header Host cannot be set"),
    (
      "GET $U/api/hello --header \"$(printf 'Foo: a\\nb')\"",
      "The value of the header Foo contains a line break or another control character.\n"
        + "next: tokenvault request --help\n"
    ),
    (
      "GET $U/api/hello --header 'A: b' --header nothing",
      "The value number 2 of --header is not of the form 'Name: value'."
    ),
    ("GET api.example.com/v1", "next: run the command again with https://api.example.com/v1"),
    ("GET $U/api/hello --scope a --resource b", "cannot be combined"),
  ])
  func aRefusedRequestReadsNoToken(arguments: String, words: String) throws {
    // Without a group there is no token to read: the request is refused before that.
    let home = try SignInHome()
    let run = try home.run("tokenvault request \(arguments)")
    #expect(run.status == 64)
    #expect(run.errors.contains(words), "\(run.errors)")
    #expect(try home.provider.log().isEmpty)
  }
}
