import Foundation
import Testing
import TokenVaultTestSupport

/// `tokenvault sign-in github` at a stand-in of GitHub's documented behaviour: no ID tokens, errors
/// with the status 200, scopes with commas, tokens that do not expire or do.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GitHubTests {
  private let home: SignInHome
  private let forges: Forges

  init() throws {
    home = try SignInHome()
    forges = try Forges()
    try home.provide("github", try forges.githubFile())
  }

  @discardableResult
  private func signIn(_ options: String = "") throws -> ShellHome.Run {
    try home.run("tokenvault sign-in github --client-id \(Forges.client) \(options)")
  }

  private func token() throws -> String {
    String(try home.run("tokenvault token").output.dropLast())
  }

  /// The tokens that servers saw in an Authorization field, by server.
  private func authorized() throws -> Set<String> {
    Set(try forges.log().filter { !$0.authorization.isEmpty }.map(\.server))
  }

  @Test func aCodeSignsInAndTheTokenDoesNotExpire() throws {
    try forges.set(["pending": 1])
    let run = try signIn()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("signed in  octocat  to "))
    #expect(run.errors.contains("WDJB-MJHT"))
    let token = try token()
    #expect(token.hasPrefix("gho_"))
    #expect(try home.json("tokenvault token --json")["expiresOn"] is NSNull)
    #expect(try home.run("tokenvault token --min-validity 365d").output == token + "\n")
    let list = try home.run("tokenvault list").output
    #expect(list.contains("octocat") && list.contains("no expiry"), "\(list)")
    let json = try home.run("tokenvault list --json").output
    #expect(json.contains(#""accessTokenExpiresOn":null"#))
    #expect(json.contains(#""issuer":"\#(forges.github)""#))
    #expect(json.contains(#""objectId":"583231""#), "\(json)")
    let log = try forges.log()
    #expect(
      log.first { $0.path == "/login/device/code" }?.form == [
        "client_id": Forges.client, "scope": "repo",
      ])
    #expect(log.allSatisfy { $0.form["client_secret"] == nil })
    // A new token needs the user, and the next command works as it is printed.
    let renewed = try home.run("tokenvault token --force-refresh")
    #expect(renewed.status == 4)
    let next = try #require(renewed.errors.firstMatch(of: /\nnext: (tokenvault sign-in .*)\n/))
    let again = try home.run(String(next.output.1))
    #expect(again.output.hasPrefix("signed in again  octocat"), "\(again.errors)")
    #expect(try home.run("tokenvault sign-in octocat").status == 0)
    #expect(try home.run("tokenvault sign-in github").status == 0)
    #expect(try self.token() != token)
  }

  @Test func anExpiringTokenIsRenewedWithItsRefreshToken() throws {
    try forges.set(["expiring": true])
    #expect(try signIn().status == 0)
    let first = try token()
    #expect(first.hasPrefix("ghu_"))
    #expect(try home.run("tokenvault list").output.contains(/expires in [78] h/))
    let second = try home.run("tokenvault token --force-refresh")
    #expect(second.status == 0 && second.output != first + "\n", "\(second.errors)")
    #expect(try home.run("tokenvault token --force-refresh").status == 0)
    let refreshes = try forges.log().filter { $0.form["grant_type"] == "refresh_token" }
    #expect(refreshes.count == 2)
    #expect(Set(refreshes.compactMap { $0.form["refresh_token"] }).count == 2)
    // Another program uses the refresh token up: the error comes with the status 200.
    let stored = try home.run("tokenvault export -o - | grep -o 'ghr_[0-9a-f]*'").output
    let form =
      "client_id=\(Forges.client)&grant_type=refresh_token&refresh_token=\(stored.dropLast())"
    let used = try RawHTTP.send(
      "POST", "\(forges.github)/login/oauth/access_token", body: Data(form.utf8))
    #expect(used.text.contains("access_token=ghu_"))
    let refused = try home.run("tokenvault token --force-refresh")
    #expect(refused.status == 4, "\(refused.errors)")
    #expect(refused.errors.contains("bad_refresh_token"))
  }

  @Test func theWebFlowUsesPKCEAndTheInstalledApplicationsSecret() throws {
    try home.provide(
      "github",
      try forges.githubFile(["clientId": Forges.client, "clientSecret": Forges.secret]))
    try forges.set(["expiring": true])
    let run = try home.run("tokenvault sign-in github --browser \"$ADA\"")
    #expect(run.status == 0, "\(run.errors)")
    let page = try #require(try forges.log().first { $0.path == "/login/oauth/authorize" })
    #expect(page.query["code_challenge_method"] == "S256")
    #expect(page.query["nonce"] == nil && page.query["client_secret"] == nil)
    #expect(page.query["scope"] == "repo")
    #expect(try home.run("tokenvault token --force-refresh").status == 0)
    // Without the secret, GitHub refuses the code.
    try home.provide("github", try forges.githubFile())
    let refused = try home.run("tokenvault sign-in github --browser \"$ADA\"")
    #expect(refused.status == 76)
    #expect(refused.errors.contains("incorrect_client_credentials"))
  }

  @Test func scopesWithCommasAndImpliedScopesAreGranted() throws {
    try forges.set(["scope": "repo,user"])
    let run = try signIn("--scope repo --scope user --scope user:email")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try home.run("tokenvault token --scope user:email").status == 0)
    try forges.set(["scope": "repo"])
    let declined = try signIn("--scope repo --scope gist")
    #expect(declined.status == 76)
    #expect(declined.errors.contains("did not grant gist"))
  }

  @Test func gitAndRequestUseTheToken() throws {
    let repository = home.home.directory.appending(path: "hello.git").path
    let made = try home.run(
      """
      git init -q --bare -b main hello.git && git init -q work && cd work &&
      git -c user.name=o -c user.email=o@example.com commit -q --allow-empty -m one &&
      git push -q ../hello.git HEAD:refs/heads/main && cd ../hello.git && git update-server-info
      """)
    #expect(made.status == 0, "\(made.errors)")
    try forges.set(["repository": repository])
    let refused = try home.run(
      "GIT_TERMINAL_PROMPT=0 git ls-remote \(forges.github)/octocat/hello.git")
    #expect(refused.status != 0)
    #expect(try signIn().status == 0)
    // The line of docs/providers.md.
    let line = try #require(
      Self.documentation.firstMatch(
        of: /git config --global credential\.https:\/\/github\.com\.helper (.*)\n/)
    ).output.1
    let configured = try home.run(
      "git config --global credential.\(forges.github).helper \(line)")
    #expect(configured.status == 0, "\(configured.errors)")
    let remote = try home.run(
      "GIT_TERMINAL_PROMPT=0 git ls-remote \(forges.github)/octocat/hello.git")
    #expect(remote.output.contains("refs/heads/main"), "\(remote.errors)")
    #expect(
      try home.run(
        "git clone -q \(forges.github)/octocat/hello.git copy && git -C copy log --oneline"
      ).output.contains("one"))
    let user = try home.run("tokenvault request GET \(forges.api)/user")
    #expect(user.output.contains("octocat"), "\(user.errors)")
    // The token is for the hosts of the provider's file.
    let elsewhere = try home.run("tokenvault request GET \(forges.stranger)/user")
    #expect(elsewhere.status == 77)
    #expect(elsewhere.errors.contains("Nothing was sent to \(forges.stranger)."))
    #expect(try authorized() == ["github", "api"])
  }

  @Test func aSignOutNamesThePageThatRevokes() throws {
    #expect(try signIn().status == 0)
    let run = try home.run("tokenvault sign-out octocat")
    #expect(run.status == 0)
    #expect(
      run.output.contains(
        "NOT REVOKED  127.0.0.1: the provider has no revocation for applications; to revoke the "
          + "tokens, open https://github.com/settings/applications"), "\(run.output)")
    #expect(try home.run("tokenvault list --json").output == "[]\n")
    #expect(try signIn().status == 0)
    let json = try home.run("tokenvault sign-out octocat --json").output
    #expect(json.contains(#""outcome":"byUserOnly""#))
    #expect(json.contains(#""page":"https://github.com/settings/applications""#))
  }

  @Test(arguments: [
    (#"{"login": "x"}"#, 200, false, #""id""#),
    (#"{"login": "x", "id": null}"#, 200, false, #""id""#),
    (#"{"login": "x", "id": {"n": 1}}"#, 200, false, #""id""#),
    (#"{"login": "x", "id": 1.5}"#, 200, false, #""id""#),
    (#"{"login": "x", "id": 1e3}"#, 200, false, #""id""#),
    (#"{"login": "x", "id": true}"#, 200, false, #""id""#),
    (#"{"login": "x", "id": ""}"#, 200, false, #""id""#),
    (#"{"login": "x", "id": "a b"}"#, 200, false, #""id""#),
    (#"[{"login": "x", "id": 1}]"#, 200, false, "answered 200, but not"),
    ("<html>Sign in</html>", 200, false, "answered 200, but not"),
    (#"{"message": "Bad credentials"}"#, 401, false, "answered 401"),
    (#"{"login": "x", "id": 1}"#, 302, true, "it is a redirect"),
    (#"{"login": "x", "id": 1}"#, 307, true, "it is a redirect"),
  ])
  func aUserEndpointThatNamesNobodyStoresNothing(
    json: String, status: Int, redirects: Bool, words: String
  ) throws {
    try forges.set([
      "user": json, "userStatus": status,
      "userLocation": redirects ? "\(forges.stranger)/user" : "",
    ])
    let run = try signIn()
    // Something that is no JSON object may be the page of a captive portal.
    #expect(run.status == (words.hasPrefix("answered 200") ? 69 : 76), "\(run.errors)")
    #expect(run.errors.contains(words), "\(run.errors)")
    #expect(try home.run("tokenvault list --json").output == "[]\n")
    #expect(try forges.log().allSatisfy { $0.server != "stranger" })
  }

  @Test(arguments: [
    ("expired_token", 4, "The code expired"), ("access_denied", 76, "declined at the provider"),
    ("device_flow_disabled", 76, "device_flow_disabled"),
    ("incorrect_device_code", 76, "incorrect_device_code"),
  ])
  func anErrorWithTheStatus200EndsTheSignIn(error: String, status: Int32, words: String) throws {
    try forges.set(["deviceError": error])
    let run = try signIn()
    #expect(run.status == status, "\(run.errors)")
    #expect(run.errors.contains(words), "\(run.errors)")
    #expect(try home.run("tokenvault list --json").output == "[]\n")
  }

  @Test func anExpiredCodeAndASlowDownAreObeyed() throws {
    try forges.set(["pending": 9, "deviceLifetime": 2])
    #expect(try signIn().status == 4)
    try forges.set(["pending": 0, "slowDown": 1, "deviceLifetime": 899])
    let run = try signIn()
    #expect(run.status == 0, "\(run.errors)")
    #expect(try home.run("tokenvault current").output == "octocat\n")
  }

  @Test func twoProvidersWithTheSameIDAreTwoAccounts() throws {
    #expect(try signIn().status == 0)
    let other = try Forges()
    let more = try other.githubFile([
      "name": "Work", "scopes": ["repo"], "userId": "id", "userName": "login",
      "flow": "device-code", "tokensWithoutExpiry": true,
    ])
    try home.provide("work", more)
    let run = try home.run("tokenvault sign-in work --client-id \(Forges.client)")
    #expect(run.output.hasPrefix("signed in  octocat"), "\(run.errors)")
    let list = try home.run("tokenvault list").output
    #expect(list.contains(forges.github) && list.contains(other.github), "\(list)")
    #expect(try home.run("tokenvault request GET \(forges.api)/user").status == 77)
    #expect(try home.run("tokenvault request GET \(other.api)/user").status == 0)
  }

  /// The issuer says to which server the refresh token of an account is sent.
  @Test func anotherFileWithTheIssuerGetsNoToken() throws {
    try forges.set(["expiring": true])
    #expect(try signIn().status == 0)
    let token = try token()
    try home.provide(
      "zz",
      try forges.githubFile([
        "name": "Z", "userId": "id", "tokenEndpoint": "\(forges.stranger)/token",
        "deviceAuthorizationEndpoint": "\(forges.stranger)/device",
        "userEndpoint": "\(forges.stranger)/user",
        "apiHosts": [String(forges.stranger.dropFirst("http://".count))],
      ]))
    for command in [
      "token --force-refresh", "request GET \(forges.stranger)/user", "sign-in zz --client-id c",
      "sign-in github --client-id c",
    ] {
      let run = try home.run("tokenvault \(command)")
      #expect(run.status == 78, "\(command): \(run.errors)")
      #expect(
        run.errors.contains("providers/zz.json")
          && run.errors.contains("its issuer is that of the provider github"), "\(run.errors)")
    }
    #expect(try self.token() == token)
    #expect(try forges.log().allSatisfy { $0.server != "stranger" })
  }

  @Test func anImportedAccountKeepsTheHostsOfItsProvider() throws {
    try forges.set(["expiring": true])
    #expect(try signIn().status == 0)
    #expect(try home.run("tokenvault export -o cache.json").status == 0)
    let group = "--group dev.tokenvault.shared"
    #expect(try home.run("tokenvault import cache.json \(group)").status == 0)
    let run = try home.run("tokenvault request GET \(forges.stranger)/user \(group)")
    #expect(run.status == 77, "\(run.errors)")
    #expect(try home.run("tokenvault request GET \(forges.api)/user \(group)").status == 0)
    #expect(try forges.log().allSatisfy { $0.server != "stranger" })
  }

  @Test func anExportIsReadableByMSALAndComesBackWithoutExpiry() throws {
    #expect(try signIn().status == 0)
    let export = try home.run(
      "tokenvault export -o cache.json && grep -o '\"expires_on\":\"[0-9]*\"' cache.json")
    #expect(
      export.output.contains(#""expires_on":"253402300799""#), "\(export.output)\(export.errors)")
    #expect(try home.run("tokenvault import cache.json").status == 0)
    #expect(try home.run("tokenvault list").output.contains("no expiry"))
  }

  private static let documentation: String = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    do {
      return try String(contentsOf: root.appending(path: "docs/providers.md"), encoding: .utf8)
    } catch { return "" }
  }()
}
