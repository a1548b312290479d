import Testing

@testable import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct IdentityTests {
  static let guid = "9F4880D8-80BA-4C40-97BC-F7A23C703084"

  @Test func aHomeAccountIDSplitsIntoObjectAndTenant() {
    let id = HomeAccountID("uid.utid")
    #expect((id.objectID, id.tenantID) == ("uid", "utid"))
    for opaque in [
      "subject", "a.b.c", "", "https://x.example/a.b.c", "ada@https://git.example",
      "ada@https://localhost/v1.0",
    ] {
      let id = HomeAccountID(opaque)
      #expect((id.objectID, id.tenantID, id.policy) == (opaque, "", nil))
      #expect(id.personIdentifier == opaque)
    }
  }

  @Test func theB2CAccountsOfOnePersonShareThePersonIdentifier() {
    let signIn = HomeAccountID("\(Self.guid)-B2C_1_SignIn.tenant")
    let edit = HomeAccountID("\(Self.guid.lowercased())-b2c_1_edit-profile.TENANT")
    #expect(signIn.policy == "b2c_1_signin")
    #expect(edit.policy == "b2c_1_edit-profile")
    #expect(signIn.personIdentifier == "\(Self.guid.lowercased()).tenant")
    #expect(signIn.personIdentifier == edit.personIdentifier)
    #expect(signIn != edit)
  }

  @Test(arguments: [
    "\(guid).tenant", "\(guid)-.tenant", "\(guid)x-policy.tenant", "\(guid)-policy",
    "x\(guid.dropFirst())-policy.tenant", "\(guid.dropLast())--policy.tenant",
    "9F4880D8080BA-4C40-97BC-F7A23C703084-policy.tenant",
  ]) func anIdentifierWithoutAGUIDAndAPolicyHasNoPolicy(text: String) {
    #expect(HomeAccountID(text).policy == nil)
    #expect(HomeAccountID(text).personIdentifier == text.lowercased())
  }

  private func identity(
    _ id: String, _ host: String, _ type: AuthorityType, orphan: String = ""
  ) -> AccountIdentity {
    AccountIdentity(
      homeAccountID: HomeAccountID(id), environment: host, authorityType: type,
      orphanClient: orphan)
  }

  @Test func twoSpellingsOfAnEntraAccountAreOneIdentity() {
    #expect(
      identity("UID.UTID", "login.microsoftonline.com", .entra)
        == identity("uid.utid", "STS.windows.net", .entra))
    #expect(
      identity("uid.utid", "login.microsoftonline.com", .entra)
        != identity("uid.utid", "login.microsoftonline.us", .entra))
  }

  @Test func theIssuerBelongsToTheIdentityOfAnOpenIDConnectAccountOnly() {
    func identity(_ issuer: String, _ type: AuthorityType) -> AccountIdentity {
      AccountIdentity(
        homeAccountID: HomeAccountID("sub"), environment: "id.example", authorityType: type,
        issuer: issuer)
    }
    let one = identity("https://id.example/realms/one", .oidc)
    #expect(one == identity("https://id.example/realms/one/", .oidc))
    #expect(one != identity("https://id.example/realms/two", .oidc))
    #expect(one != identity("https://id.example:8443/realms/one", .oidc))
    #expect(one != identity("", .oidc) && one.withoutIssuer == identity("", .oidc))
    for type in [AuthorityType.entra, .b2c, .adfs, .secret] {
      #expect(identity("https://id.example/realms/one", type) == identity("", type))
    }
  }

  @Test func aSubjectOfAnotherProviderKeepsItsCase() {
    for type in [AuthorityType.oidc, .adfs, .secret, .other("x")] {
      #expect(identity("Sub", "id.example", type) != identity("sub", "id.example", type))
      #expect(identity("Sub", "ID.example", type) == identity("Sub", "id.example", type))
    }
  }

  @Test func tokensWithoutAnAccountAreDistinguishedByClient() {
    #expect(identity("", "h", .entra, orphan: "A") != identity("", "h", .entra, orphan: "b"))
    #expect(identity("", "h", .entra, orphan: "A") == identity("", "h", .entra, orphan: "a"))
    #expect(identity("x", "h", .entra, orphan: "a") == identity("x", "h", .entra, orphan: "b"))
  }

  @Test func anAuthorityTypeIsReadBackAsItWasWritten() {
    for type in [AuthorityType.entra, .adfs, .oidc, .secret, .other("DSTS")] {
      #expect(AuthorityType(cacheText: type.description, environment: "login.x") == type)
    }
    #expect(AuthorityType(cacheText: "", environment: "login.x") == .entra)
    #expect(AuthorityType(cacheText: "MSSTS", environment: "Contoso.B2CLogin.com") == .b2c)
    #expect(AuthorityType(cacheText: "MSSTS", environment: "contoso.ciamlogin.com") == .b2c)
    #expect(AuthorityType(cacheText: "MSSTS", environment: "b2clogin.com.evil.example") == .entra)
    #expect(AuthorityType(cacheText: "Generic", environment: "x") == .oidc)
    #expect(AuthorityType.oidc.cacheText == "MSSTS")
    let guid = "11111111-1111-4111-8111-111111111111"
    for (id, host, type) in [
      ("Ada", "login.x", AuthorityType.oidc), ("auth0|a.b", "login.x", .oidc),
      ("\(guid).\(guid)", "login.x", .entra), ("", "login.x", .entra),
      ("ada", "login.microsoftonline.com", .entra), ("ada", "x.b2clogin.com", .b2c),
    ] {
      let found = AuthorityType(
        cacheText: "MSSTS", environment: host, homeAccountID: HomeAccountID(id))
      #expect(found == type, "\(id) at \(host)")
    }
  }

  @Test func theAliasesOfACloudAreOneEnvironment() {
    #expect(CloudEnvironment.same("LOGIN.microsoftonline.com", "login.windows.net"))
    #expect(
      CloudEnvironment.canonical("login.chinacloudapi.cn") == "login.partner.microsoftonline.cn")
    #expect(!CloudEnvironment.same("login.microsoftonline.us", "login-us.microsoftonline.com"))
    #expect(CloudEnvironment.canonical("ID.Example") == "id.example")
    #expect(CloudEnvironment.isKnownCloud("Login.Microsoft.com"))
    #expect(!CloudEnvironment.isKnownCloud("login.microsoftonline.com.evil.example"))
    #expect(!CloudEnvironment.isKnownCloud(""))
  }
}
