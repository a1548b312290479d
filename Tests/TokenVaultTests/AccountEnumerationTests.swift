import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct AccountEnumerationTests {
  private let vault: TestVault

  init() throws { vault = try TestVault() }

  private func usernames(_ query: AccountQuery) throws -> [String] {
    try vault.sessionWithAllAccounts().accounts(query).usernames
  }

  @Test func accountsAreSortedByUsernameThenIdentifier() throws {
    let listed = try vault.sessionWithAllAccounts().accounts(.all)
    #expect(
      listed.usernames == [
        "ada@contoso.example", "Bob@fabrikam.example", "carl@cn.example", "eve@mail.example",
        "eve@mail.example",
      ])
    #expect(listed.accounts.suffix(2).map(\.policy) == ["b2c_1_edit", "b2c_1_signin"])
    #expect(listed.emptyReason == nil)
    #expect(
      try vault.groupSession().accounts(.all).accounts.map(\.identity)
        == listed.accounts.map(\.identity))
  }

  @Test(
    .parity(
      "accountsForParameters:error:", "MSALAccountEnumerationParameters.identifier",
      "MSALAccountEnumerationParameters.initWithIdentifier:",
      "MSALAccountEnumerationParameters.tenantProfileIdentifier",
      "MSALAccountEnumerationParameters.initWithTenantProfileIdentifier:"))
  func eachConditionOfAQueryFiltersWithoutRegardToCase() throws {
    let ada = ["ada@contoso.example"]
    #expect(try usernames(AccountQuery(identifier: Person.ada.id.uppercased())) == ada)
    #expect(try usernames(AccountQuery(username: "ADA@contoso.EXAMPLE")) == ada)
    #expect(try usernames(AccountQuery(username: "ada_guest@fabrikam")) == ada)
    #expect(try usernames(AccountQuery(tenantProfileIdentifier: "GUEST-oid")) == ada)
    #expect(
      try usernames(AccountQuery(environment: "login.partner.microsoftonline.cn"))
        == ["carl@cn.example"])
    #expect(
      try usernames(AccountQuery(environment: "STS.windows.net"))
        == ["ada@contoso.example", "Bob@fabrikam.example"])
    #expect(try usernames(AccountQuery(policy: "B2C_1_SIGNIN")) == ["eve@mail.example"])
    let person = Person.eve(policy: "b2c_1_signin").id.replacing("-b2c_1_signin", with: "")
    #expect(
      try usernames(AccountQuery(personIdentifier: person))
        == ["eve@mail.example", "eve@mail.example"])
    #expect(try usernames(AccountQuery(clientID: Clients.cli.uppercased())).count == 5)
    #expect(try usernames(AccountQuery(username: "ada@contoso.example", policy: "x")).isEmpty)
  }

  @Test(.parity("MSALAccount.tenantProfiles", "MSALTenantProfile.isHomeTenantProfile"))
  func theHomeTenantProfileIsListedFirst() throws {
    let ada = try vault.sessionWithAllAccounts().accounts(
      AccountQuery(username: "ada@contoso.example")
    ).accounts[0]
    #expect(ada.tenantProfiles.map(\.tenantID) == [Person.contoso, Person.fabrikam])
    #expect(ada.tenantProfiles.map(\.isHomeTenantProfile) == [true, false])
    #expect(ada.homeAccountID.tenantID == Person.contoso)
  }

  @Test(.parity("accountsFromDeviceForParameters:completionBlock:"))
  func anEmptyListingStatesItsReason() throws {
    let session = vault.groupSession()
    #expect(try session.accounts(.all).emptyReason == .groupDoesNotExist)
    let other = GroupName("dev.tokenvault.shared")
    try vault.groupSession(other).create()
    #expect(try session.accounts(.all).emptyReason == .onlyInOtherGroups([other]))
    try session.create()
    #expect(try session.accounts(.all).emptyReason == .noAccounts)
    try session.importCache(
      MSALCache(profiles: [Person.ada.profile()], tokens: [Person.ada.access("fake-at")]))
    #expect(try session.accounts(AccountQuery(signedIn: true)).emptyReason == .allSignedOut)
    #expect(try session.accounts(AccountQuery(clientID: "nobody")).emptyReason == .noneForClient)
    #expect(try session.accounts(AccountQuery(username: "nobody")).emptyReason == .noneMatches)
    #expect(try session.accounts(AccountQuery(signedIn: false)).accounts.count == 1)
  }

  @Test(
    .parity(
      "accountsFromDeviceForParameters:completionBlock:",
      "MSALAccountEnumerationParameters.returnOnlySignedInAccounts"))
  func signedInAppliesToTheClientOfTheQuery() throws {
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    #expect(
      try session.accounts(AccountQuery(clientID: Clients.cli, signedIn: true)).accounts.count == 1)
    let others = try session.accounts(AccountQuery(clientID: Clients.editor, signedIn: true))
    #expect(others.accounts.isEmpty && others.emptyReason == .noneForClient)
    try session.importCache(
      MSALCache(tokens: [Person.ada.refresh("fake-frt", family: "1")]))
    // Until the family's token has been tried for the editor, the editor may be in the family.
    #expect(
      try session.accounts(AccountQuery(clientID: Clients.editor, signedIn: true)).accounts.count
        == 1)
    try session.importCache(
      MSALCache(apps: [
        .init(clientID: Clients.editor, environment: "login.windows.net", familyID: "")
      ]))
    #expect(
      try session.accounts(AccountQuery(clientID: Clients.editor, signedIn: true)).accounts.isEmpty)
  }

  @Test func twoAliasesOfACloudAreOneAccount() throws {
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    var same = Person.ada
    same.environment = "login.windows.net"
    same.id = same.id.uppercased()
    #expect(try session.importCache(same.cache("-2")).added.isEmpty)
    #expect(try session.accounts(.all).accounts.count == 1)
  }
}
