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

  @Test func aCodeSignsInThroughTheEndpointOfTheProviderFile() throws {
    let (home, forges) = try (SignInHome(), Forges())
    try forges.set(["pending": 1])
    let run = try home.run(
      "tokenvault sign-in gitlab \(forges.gitlab) --client-id \(Forges.client) --device-code")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try home.run("tokenvault current").output == "tanuki\n")
  }
}
