import Testing

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct AzureProfileTests {
  private static let profile = """
    \u{FEFF}{"installationId":"made-up","subscriptions":[
     {"id":"1","name":"One","state":"Enabled","user":{"name":"ada@contoso.example","type":"user"},
      "isDefault":false,"tenantId":"AAAA","environmentName":"AzureCloud","homeTenantId":"AAAA"},
     {"id":"2","name":"Two","user":{"name":"ada@contoso.example","type":"user"},
      "isDefault":true,"tenantId":"bbbb"},
     {"id":"3","name":"Two again","user":{"name":"ada@contoso.example","type":"user"},
      "isDefault":false,"tenantId":"bbbb"},
     {"id":"4","user":{"name":"Bob@fabrikam.example","type":"user"},"tenantId":"bbbb"},
     {"id":"5","user":{"name":"app","type":"servicePrincipal"},"tenantId":"bbbb"},
     {"id":"6","name":"odd"}]}
    """

  @Test func theDefaultUserAndTheUsersOfEachTenantAreRead() throws {
    let profile = try AzureProfile(json: Array(Self.profile.utf8))
    #expect(profile.defaultUser == .init(username: "ada@contoso.example", tenantID: "bbbb"))
    #expect(profile.usernames(tenantID: "aaaa") == ["ada@contoso.example"])
    #expect(
      profile.usernames(tenantID: "BBBB") == ["ada@contoso.example", "Bob@fabrikam.example"])
    #expect(profile.users.count == 3)
  }

  @Test func aProfileWithoutSubscriptionsHasNoUsers() throws {
    let profile = try AzureProfile(json: Array(#"{"subscriptions":[]}"#.utf8))
    #expect(profile.defaultUser == nil)
    #expect(profile.users.isEmpty)
  }

  @Test(arguments: [
    ("{", MSALCacheError.notJSON(at: 1)), ("{}", .notACache), ("[]", .notACache),
    (#"{"subscriptions":{}}"#, .badMember(.subscriptions)),
    (
      #"{"subscriptions":[1]}"#,
      .badEntity(member: .subscriptions, index: 0, field: .entity, problem: .wrongType)
    ),
    (
      #"{"subscriptions":[{"user":{"type":"user","name":"a"}}]}"#,
      .badEntity(member: .subscriptions, index: 0, field: .tenantID, problem: .missing)
    ),
    (
      #"{"subscriptions":[{"tenantId":"t","user":{"type":"user","name":"a\n"}}]}"#,
      .invalidText(member: .subscriptions, index: 0, field: .user)
    ),
  ])
  func aMalformedProfileIsRefused(text: String, error: MSALCacheError) {
    #expect(throws: error) { try AzureProfile(json: Array(text.utf8)) }
  }
}
