import Foundation
import Testing
import TokenVaultTestSupport

/// `tokenvault sign-in gitlab URL` at a stand-in of GitLab's documented behaviour: OpenID Connect
/// whose discovery document announces neither `offline_access` nor the device endpoint.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GitLabTests {
  @Test func theBrowserSignsInAndTheTokenServesTheAPI() throws {
    let (home, forges) = try (SignInHome(), Forges())
    let run = try home.run(
      "tokenvault sign-in gitlab \(forges.gitlab) --client-id \(Forges.client) --browser \"$ADA\"")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("signed in  tanuki  to "))
    let page = try #require(try forges.log().first { $0.path == "/gitlab/oauth/authorize" })
    #expect(
      page.query["scope"] == "read_user read_api read_repository write_repository openid profile")
    let user = try home.run("tokenvault request GET \(forges.gitlab)/api/v4/user")
    #expect(user.output.contains("tanuki"), "\(user.errors)")
    let elsewhere = try home.run("tokenvault request GET \(forges.stranger)/api/v4/user")
    #expect(elsewhere.status == 77, "\(elsewhere.errors)")
    #expect(try home.run("tokenvault token --force-refresh").status == 0)
    #expect(
      try home.run("tokenvault sign-in gitlab \(forges.gitlab) --browser \"$ADA\"").status == 0)
    let out = try home.run("tokenvault sign-out tanuki")
    #expect(out.output.contains("revoked  127.0.0.1: the provider revoked the tokens"))
    #expect(try forges.log().contains { $0.path == "/gitlab/oauth/revoke" })
    #expect(try forges.log().allSatisfy { $0.server != "stranger" })
  }

  /// The built-in file is for gitlab.com, and so is a client that the user adds to it.
  @Test func theClientOfAFileIsNotUsedAtAnotherServer() throws {
    let (home, forges) = try (SignInHome(), Forges())
    try home.provide(
      "gitlab", #"{"clientId": "\#(Forges.client)", "clientSecret": "\#(Forges.secret)"}"#)
    let command = "tokenvault sign-in gitlab \(forges.gitlab) --device-code"
    let needed = try home.run(command)
    #expect(needed.status == 64, "\(needed.errors)")
    #expect(needed.errors.contains("needs a client id"))
    #expect(try home.run("\(command) --client-id \(Forges.client)").status == 0)
    #expect(try forges.log().allSatisfy { $0.form["client_secret"] == nil })
  }

  @Test func anImportDoesNotLiftTheHostsOfAProvider() throws {
    let (home, forges) = try (SignInHome(), Forges())
    #expect(
      try home.run(
        "tokenvault sign-in gitlab \(forges.gitlab) --client-id \(Forges.client) --device-code"
      ).status == 0)
    // The metadata of the client, as another tool writes them.
    let run = try home.run(
      """
      tokenvault export -o all.json && python3 -c '
      import json
      apps = json.load(open("all.json"))["AppMetadata"]
      for app in apps.values():
          assert app.pop("tokenvault_providers")
      json.dump({"AppMetadata": apps}, open("apps.json", "w"))
      ' && tokenvault import apps.json >&2; tokenvault request GET \(forges.stranger)/user
      """)
    #expect(run.status == 77, "\(run.errors)")
    #expect(try forges.log().allSatisfy { $0.server != "stranger" })
  }

  @Test func aBrokenFileOfAnotherProviderDoesNotKeepTokensValid() throws {
    let (home, forges) = try (SignInHome(), Forges())
    #expect(
      try home.run(
        "tokenvault sign-in gitlab \(forges.gitlab) --client-id \(Forges.client) --device-code"
      ).status == 0)
    try home.provide("a-broken", "{")
    let out = try home.run("tokenvault sign-out tanuki")
    #expect(out.output.contains("revoked  127.0.0.1: the provider revoked the tokens"), "\(out)")
    #expect(try forges.log().contains { $0.path == "/gitlab/oauth/revoke" })
  }

  @Test func aCodeSignsInThroughTheEndpointOfTheProviderFile() throws {
    let (home, forges) = try (SignInHome(), Forges())
    try forges.set(["pending": 1])
    let run = try home.run(
      "tokenvault sign-in gitlab \(forges.gitlab) --client-id \(Forges.client) --device-code")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try home.run("tokenvault current").output == "tanuki\n")
  }
}
