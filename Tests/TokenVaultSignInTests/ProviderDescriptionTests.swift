import Testing
import TokenVaultModel
import TokenVaultSignIn

@Suite(.timeLimit(.minutes(1)))
struct ProviderDescriptionTests {
  private func described(_ json: String, at url: String? = nil) throws -> ProviderDescription {
    let members = try #require(try JSONValue(parsing: Array(json.utf8)).members)
    return try ProviderDescription(members, url: try url.map { try Authority($0) })
  }

  @Test(arguments: BuiltInProviders.names)
  func eachBuiltInFileDescribesAProviderWithoutAClient(name: String) throws {
    let members = try #require(BuiltInProviders.members(name))
    let provider = try ProviderDescription(members)
    #expect(provider.clientID == nil && provider.clientSecret == nil)
    #expect(!provider.registrationHelp.isEmpty)
    #expect(provider.issuer != nil || provider.takesURL)
    #expect(provider.hasIDTokens == (name != "github"))
  }

  @Test func anUnknownNameHasNoFile() { #expect(BuiltInProviders.members("nobody") == nil) }

  @Test func theURLReplacesTheIssuerEverywhere() throws {
    let json = """
      {"name": "X", "takesUrl": true, "issuer": "https://x.example", "apiHosts": ["{host}"],
       "revocationEndpoint": "{url}/revoke", "registrationPage": "{url}/apps#new"}
      """
    let own = try described(json)
    #expect(own.revocationEndpoint?.description == "https://x.example/revoke")
    let other = try described(json, at: "https://y.example:8443/git/")
    #expect(other.issuer?.description == "https://y.example:8443/git/")
    #expect(other.revocationEndpoint?.description == "https://y.example:8443/git/revoke")
    #expect(other.registrationPage == "https://y.example:8443/git/apps#new")
    #expect(other.apiHosts == ["y.example:8443"])
    #expect(other.describes(try Authority("https://y.example:8443/git")))
    #expect(!other.describes(try Authority("https://y.example:8443")))
  }

  @Test(arguments: [
    ("https://api.x.example/a", true), ("https://api.x.example:443/a", true),
    ("https://api.x.example:444/a", false), ("https://x.example/a", false),
    ("https://api.x.example.evil.example/", false), ("https://evilapi.x.example/", false),
    ("https://a.y.example/", true), ("https://a.b.y.example/", true),
    ("https://y.example/", false), ("https://evily.example/", false),
    ("http://127.0.0.1:8080/", true), ("http://127.0.0.1:8081/", false),
    ("https://API.X.EXAMPLE/", true),
  ])
  func onlyNamedHostsAreAllowed(url: String, isAllowed: Bool) throws {
    let provider = try described(
      """
      {"name": "X", "issuer": "https://x.example",
       "apiHosts": ["api.x.example", "*.y.example", "127.0.0.1:8080"]}
      """)
    #expect(provider.allows(try #require(HTTPURL(url))) == isAllowed)
  }

  @Test(arguments: [
    "\"extra\": 1", "\"apiHosts\": [\"*\"]", "\"apiHosts\": [\"https://x.example\"]",
    "\"apiHosts\": [\"x.example/a\"]", "\"apiHosts\": \"x.example\"", "\"scopes\": [1]",
    "\"scopes\": [\"a b\"]", "\"takesUrl\": \"yes\"",
    "\"revocationEndpoint\": \"http://x.example/\"",
    "\"revocationEndpoint\": \"http://127.0.0.1/\"", "\"redirectUri\": \"https://x.example/\"",
    "\"scopeSeparator\": \", \"", "\"flow\": \"password\"", "\"impliedScopes\": {\"a\": \"b\"}",
    "\"authorizationEndpoint\": \"https://x.example/a\"", "\"name\": \"a\\u0007\"",
    "\"registrationPage\": \"javascript:alert(1)\"",
  ])
  func aMemberWithAnotherFormIsRefused(member: String) throws {
    #expect(throws: ProviderDescription.Fault.self) {
      try described("{\"name\": \"X\", \"issuer\": \"https://x.example\", \(member)}")
    }
  }

  @Test func aProviderOfMicrosoftHasNoEndpointsOfItsOwn() throws {
    #expect(throws: ProviderDescription.Fault.self) {
      try described(
        """
        {"name": "X", "issuer": "https://login.microsoftonline.com/common", "userId": "id",
         "tokenEndpoint": "https://evil.example/t", "authorizationEndpoint": "https://evil.example/a",
         "userEndpoint": "https://evil.example/u"}
        """)
    }
  }
}
