import Testing
import TokenVaultModel
import TokenVaultSignIn

/// The page on which an administrator consents.
@Suite(.timeLimit(.minutes(1))) struct AdminConsentRulesTests {
  @Test(arguments: [
    ("login.microsoftonline.com", "graph.microsoft.com"),
    ("login.partner.microsoftonline.cn", "microsoftgraph.chinacloudapi.cn"),
    ("login.chinacloudapi.cn", "microsoftgraph.chinacloudapi.cn"),
    ("login.microsoftonline.us", "graph.microsoft.us"),
  ])
  func aConsentWithoutScopesIsForTheGraphOfTheCloud(host: String, graph: String) throws {
    let consent = AdminConsent(
      at: try Authority("https://\(host)/contoso.example"), clientID: "c", scopes: ScopeSet([]),
      redirectURI: "http://localhost")
    #expect(consent.page()?.parameters["scope"] == "https://\(graph)/.default")
  }
}
