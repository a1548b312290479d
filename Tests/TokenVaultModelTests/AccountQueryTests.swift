import Testing

@testable import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct AccountQueryTests {
  static let guid = IdentityTests.guid

  private func account(
    _ id: String = "\(guid)-Policy.tenant", isSignedIn: Bool = true
  ) -> Account {
    let home = HomeAccountID(id)
    return Account(
      homeAccountID: home, username: "Alice@Contoso.example",
      environment: "login.microsoftonline.com", group: .universalStorage, alias: "work",
      tenantProfiles: [
        TenantProfile(
          tenantID: "tenant", identifier: "Object", username: "Guest@Fabrikam.example",
          isHomeTenantProfile: true, claimsJSON: [])
      ], clientIDs: ["Client"], isCurrent: false, isSignedIn: isSignedIn, authorityType: .entra,
      accessTokenExpiresOn: nil, isRefreshTokenStored: false,
      identity: AccountIdentity(
        homeAccountID: home, environment: "login.microsoftonline.com", authorityType: .entra))
  }

  @Test func eachConditionOfAQueryIgnoresCase() {
    let account = account()
    let matching: [AccountQuery] = [
      .all, .init(identifier: account.identifier.uppercased()),
      .init(username: "alice@CONTOSO.example"), .init(username: "guest@fabrikam.example"),
      .init(tenantProfileIdentifier: "OBJECT"), .init(environment: "sts.windows.net"),
      .init(policy: "POLICY"), .init(personIdentifier: "\(Self.guid).TENANT"),
      .init(clientID: "CLIENT"), .init(signedIn: true),
      .init(username: "alice@contoso.example", clientID: "client", signedIn: true),
    ]
    for query in matching { #expect(query.matches(account), "\(query)") }
    let others: [AccountQuery] = [
      .init(identifier: "other"), .init(username: ""), .init(username: "alice"),
      .init(tenantProfileIdentifier: "tenant"), .init(environment: "login.microsoftonline.us"),
      .init(policy: "other"), .init(personIdentifier: "other"), .init(clientID: "other"),
      .init(signedIn: false), .init(username: "alice@contoso.example", clientID: "other"),
    ]
    for query in others { #expect(!query.matches(account), "\(query)") }
  }

  @Test func anAccountWithoutAPolicyMatchesNoPolicy() {
    let plain = account("uid.utid", isSignedIn: false)
    #expect(!AccountQuery(policy: "").matches(plain))
    #expect(AccountQuery(signedIn: false).matches(plain))
    #expect(AccountQuery(personIdentifier: "UID.utid").matches(plain))
  }
}
