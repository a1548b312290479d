import Foundation
import Testing
import TokenVaultTestSupport

/// The provider of an account stays known when the account goes to another group, and when the file
/// that describes the provider is deleted.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ImportedProviderTests {
  private static let group = "--group dev.tokenvault.shared"
  private let home: SignInHome
  private let forges: Forges

  init() throws {
    home = try SignInHome()
    forges = try Forges()
    try home.provide("github", try forges.githubFile())
  }

  private func signIn(expiring: Bool) throws {
    try forges.set(["expiring": expiring])
    let run = try home.run("tokenvault sign-in github --client-id \(Forges.client)")
    try #require(run.status == 0, "\(run.errors)")
  }

  /// Changes the export in `cache.json` with Python.
  private func edit(_ lines: String) throws {
    let run = try home.run(
      """
      tokenvault export -o cache.json --force 2>/dev/null; python3 -c '
      import json
      cache = json.load(open("cache.json"))
      \(lines)
      json.dump(cache, open("cache.json", "w"))
      '
      """)
    try #require(run.status == 0, "\(run.errors)")
  }

  @Test func anImportedAccountKeepsItsProvider() throws {
    try signIn(expiring: true)
    let moved = try home.run(
      "tokenvault export -o cache.json && tokenvault import cache.json \(Self.group)")
    #expect(moved.status == 0, "\(moved.errors)")
    let (from, to) = (
      try home.run("tokenvault list --json").output,
      try home.run("tokenvault list --json \(Self.group)").output
    )
    #expect(to.contains(#""issuer":"\#(forges.github)""#), "\(to)")
    #expect(from.contains(#""issuer":"\#(forges.github)""#))
    let renewed = try home.run("tokenvault token --force-refresh \(Self.group)")
    #expect(renewed.status == 0 && renewed.output.hasPrefix("ghu_"), "\(renewed.errors)")
    #expect(try home.run("tokenvault request GET \(forges.api)/user \(Self.group)").status == 0)
    let elsewhere = try home.run("tokenvault request GET \(forges.stranger)/user \(Self.group)")
    #expect(elsewhere.status == 77, "\(elsewhere.errors)")
    let out = try home.run("tokenvault sign-out octocat \(Self.group)").output
    #expect(out.contains("open https://github.com/settings/applications"), "\(out)")
    #expect(try forges.log().allSatisfy { $0.server != "stranger" })
  }

  @Test func anImportedAccountWithoutARefreshTokenIsSignedIn() throws {
    try signIn(expiring: false)
    let moved = try home.run(
      "tokenvault export -o cache.json && tokenvault import cache.json \(Self.group)")
    #expect(moved.status == 0, "\(moved.errors)")
    let list = try home.run("tokenvault list \(Self.group)").output
    #expect(list.contains("signed in") && list.contains("no expiry"), "\(list)")
    #expect(try home.run("tokenvault token \(Self.group)").output.hasPrefix("gho_"))
    // In its own group, too, which it never left.
    let again = try home.run("tokenvault import cache.json")
    #expect(again.output.contains("unchanged  octocat"), "\(again.output)")
    #expect(try home.run("tokenvault list").output.contains("signed in"))
    let out = try home.run("tokenvault sign-out octocat \(Self.group)").output
    #expect(out.contains("open https://github.com/settings/applications"), "\(out)")
  }

  /// MSAL knows no such provider, and each port of a host may be another one.
  @Test func anExportKeepsTheAccountsOfTwoProvidersApart() throws {
    try signIn(expiring: true)
    let other = try Forges()
    try other.set(["expiring": true])
    try home.provide(
      "work",
      try other.githubFile([
        "name": "Work", "scopes": ["repo"], "userId": "id", "userName": "login",
        "flow": "device-code",
      ]))
    #expect(
      try home.run("tokenvault sign-in work --client-id \(Forges.client)").status == 0)
    let moved = try home.run(
      "tokenvault export -o cache.json && tokenvault import cache.json \(Self.group)")
    #expect(moved.status == 0, "\(moved.errors)")
    for (forge, stranger) in [(forges, other), (other, forges)] {
      let account = "--account octocat//\(forge.github) \(Self.group)"
      let renewed = try home.run("tokenvault token --force-refresh \(account)")
      #expect(renewed.status == 0, "\(renewed.errors)")
      #expect(try home.run("tokenvault request GET \(forge.api)/user \(account)").status == 0)
      #expect(try home.run("tokenvault request GET \(stranger.api)/user \(account)").status == 77)
    }
  }

  /// A provider that is at the host and has no description does not lift the limit of the others.
  @Test(arguments: ["/other", ":1", "://attacker.example"])
  func aFileThatNamesAnotherIssuerLiftsNoLimit(change: String) throws {
    try signIn(expiring: true)
    let issuer =
      switch change {
      case "/other": forges.github + change
      case ":1": "http://127.0.0.1:1"
      default: "https" + change
      }
    try edit(
      """
      for table in ("Account", "AccessToken", "RefreshToken"):
          for entity in cache[table].values():
              assert entity["tokenvault_issuer"] == "\(forges.github)"
              entity["tokenvault_issuer"] = "\(issuer)"
      for app in cache["AppMetadata"].values():
          app["tokenvault_providers"] = {"\(issuer)": {"name": "oidc", "time": 1}}
      """)
    let token = try home.run("tokenvault token").output
    for group in ["", Self.group] {
      let imported = try home.run("tokenvault import cache.json \(group)")
      #expect(imported.status == 0, "\(imported.errors)")
      let found = try home.run("tokenvault list --json \(group) | grep -o '\"selector\"[^,]*'")
      for account in ["octocat", "octocat//\(issuer)", "octocat//\(forges.github)"] {
        let run = try home.run(
          "tokenvault request GET \(forges.stranger)/user --account \(account) \(group)")
        #expect(run.status != 0, "\(account): \(run.output) \(found.output)")
        _ = try home.run("tokenvault token --force-refresh --account \(account) \(group)")
      }
    }
    #expect(try forges.log().allSatisfy { $0.server != "stranger" })
    // The tokens of the genuine account are as they were, or newer ones of its own provider.
    #expect(token.hasPrefix("ghu_"))
    let mine = try home.run("tokenvault token --account octocat//\(forges.github)")
    #expect(mine.output.hasPrefix("ghu_"), "\(mine.errors)")
  }

  @Test func anAccountWhoseProviderFileIsGoneSendsNothing() throws {
    try signIn(expiring: false)
    let moved = try home.run(
      "tokenvault export -o cache.json && tokenvault import cache.json \(Self.group)")
    #expect(moved.status == 0, "\(moved.errors)")
    try FileManager.default.removeItem(
      at: home.home.directory.appending(path: ".config/tokenvault/providers/github.json"))
    for (host, group) in [
      (forges.stranger, ""), (forges.api, ""), (forges.stranger, Self.group),
    ] {
      let run = try home.run("tokenvault request GET \(host)/user \(group)")
      #expect(run.status == 77, "\(run.output)")
      #expect(
        run.errors.contains("providers/github.json\" described the account's provider")
          && run.errors.contains("Nothing was sent to \(host).")
          && run.errors.contains("next: ls -l "), "\(run.errors)")
    }
    // The members that the built-in file has besides.
    let whole: [String: Any] = [
      "name": "GitHub", "userId": "id", "userName": "login", "tokensWithoutExpiry": true,
      "scopes": ["repo"],
    ]
    // A stored token is served all the same, and the file's return restores everything.
    #expect(try home.run("tokenvault token").status == 0)
    try home.provide("renamed", try forges.githubFile(whole))
    let run = try home.run("tokenvault request GET \(forges.api)/user")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try forges.log().allSatisfy { $0.server != "stranger" })
  }
}
