import Testing

@testable import TokenVaultModel

@Suite struct CredentialTests {
  private func credential(
    _ kind: Credential.Kind, client: String = "client",
    host: String = "login.microsoftonline.com", target: String = "",
    _ change: (inout Credential) -> Void = { _ in }
  ) -> Credential {
    var credential = Credential(kind: kind, clientID: client, environment: host)
    credential.target = target
    credential.realm = "tenant"
    change(&credential)
    return credential
  }

  @Test func anAccessTokenReplacesThoseWhoseScopesItShares() {
    let new = credential(.accessToken, target: "User.Read Mail.Send")
    #expect(new.replaces(credential(.accessToken, target: "mail.send")))
    #expect(new.replaces(credential(.accessToken, client: "CLIENT", target: "user.read x")))
    #expect(new.replaces(credential(.accessToken, host: "sts.windows.net", target: "user.read")))
    #expect(new.replaces(credential(.accessToken, target: "user.read") { $0.tokenType = "BEARER" }))
    #expect(!new.replaces(credential(.accessToken, target: "x")))
    #expect(credential(.accessToken).replaces(credential(.accessToken)))
    let others: [(inout Credential) -> Void] = [
      { $0.realm = "other" }, { $0.clientID = "other" }, { $0.tokenType = "pop" },
      { $0.keyID = "key" }, { $0.requestedClaims = "{}" }, { $0.userAssertionHash = "hash" },
      { $0.environment = "login.microsoftonline.us" }, { $0.kind = .idToken },
    ]
    for change in others {
      #expect(!new.replaces(credential(.accessToken, target: "User.Read", change)))
    }
  }

  @Test func aRefreshTokenReplacesItsFamilysOfThatClient() {
    let new = credential(.refreshToken)
    #expect(new.replaces(credential(.refreshToken, target: "ignored") { $0.realm = "ignored" }))
    #expect(!new.replaces(credential(.refreshToken) { $0.familyID = "1" }))
    #expect(!new.replaces(credential(.refreshToken, client: "other")))
    #expect(!new.replaces(credential(.accessToken)))
  }

  @Test func theOtherKindsReplaceTheirOwn() {
    #expect(credential(.idToken).replaces(credential(.idToken, target: "x")))
    #expect(!credential(.idToken).replaces(credential(.idToken) { $0.realm = "other" }))
    #expect(credential(.secret).replaces(credential(.secret, client: "other")))
    let prt = Credential.Kind.other("PrimaryRefreshToken")
    #expect(credential(prt).replaces(credential(prt)))
    #expect(!credential(prt).replaces(credential(prt) { $0.keyID = "another entity" }))
    #expect(!credential(prt).replaces(credential(.other("else"))))
  }

  @Test func aTokenIsServedUntilTheSkewBeforeItsEnd() {
    let token = credential(.accessToken) {
      $0.cachedAt = Timestamp(epochSeconds: 1000)
      $0.expiresOn = Timestamp(epochSeconds: 5000)
    }
    #expect(token.isValid(at: Timestamp(epochSeconds: 4699), skew: 300))
    #expect(!token.isValid(at: Timestamp(epochSeconds: 4700), skew: 300))
    #expect(token.isValid(at: Timestamp(epochSeconds: 4999), skew: 0))
    #expect(!token.isValid(at: Timestamp(epochSeconds: 5000), skew: 0))
    // Stored in the future: the clock was set back.
    #expect(token.isValid(at: Timestamp(epochSeconds: 1000), skew: 300))
    #expect(!token.isValid(at: Timestamp(epochSeconds: 999), skew: 300))
    #expect(!token.isValid(at: Timestamp(epochSeconds: .max), skew: .max))
  }

  @Test func whatHasNoEndIsServedOnlyIfItIsASecret() {
    let now = Timestamp(epochSeconds: 1000)
    #expect(!credential(.accessToken).isValid(at: now, skew: 300))
    #expect(credential(.secret).isValid(at: now, skew: 300))
    let expired = credential(.secret) { $0.expiresOn = Timestamp(epochSeconds: 1100) }
    #expect(!expired.isValid(at: now, skew: 300))
  }
}

@Suite struct AccountQueryTests {
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

  @Test func eachConditionHoldsWithoutCase() {
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

  @Test func anAccountWithoutAPolicyMatchesNone() {
    let plain = account("uid.utid", isSignedIn: false)
    #expect(!AccountQuery(policy: "").matches(plain))
    #expect(AccountQuery(signedIn: false).matches(plain))
    #expect(AccountQuery(personIdentifier: "UID.utid").matches(plain))
  }
}
