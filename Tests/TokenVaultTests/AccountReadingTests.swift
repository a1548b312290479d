@testable import TokenVaultGroupStore
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite("Listing and finding accounts")
struct AccountReadingTests {
  private let vault: TestVault

  init() throws { vault = try TestVault() }

  /// Ada in two tenants, Bob, Eve under two policies, Carl in the Chinese cloud.
  private func everybody() throws -> GroupSession {
    let core = vault.core()
    let carl = Person(
      id: "44444444-4444-4444-8444-444444444444.\(Person.contoso)", username: "carl@cn.example",
      realm: Person.contoso, environment: "login.chinacloudapi.cn")
    var cache =
      carl.cache() + Person.eve(policy: "b2c_1_signin").cache()
      + Person.eve(policy: "B2C_1_Edit").cache() + Person.bob.cache() + Person.ada.cache()
    cache.profiles.append(
      Person.ada.profile(realm: Person.fabrikam, username: "ada_guest@fabrikam", local: "guest-oid")
    )
    try core.importCache(cache)
    return core
  }

  private func usernames(_ query: AccountQuery) throws -> [String] {
    try everybody().accounts(query).usernames
  }

  @Test("all accounts come by user name, then identifier, whatever order they were stored in")
  func order() throws {
    let listed = try everybody().accounts(.all)
    #expect(
      listed.usernames == [
        "ada@contoso.example", "Bob@fabrikam.example", "carl@cn.example", "eve@mail.example",
        "eve@mail.example",
      ])
    #expect(listed.accounts.suffix(2).map(\.policy) == ["b2c_1_edit", "b2c_1_signin"])
    #expect(listed.emptyReason == nil)
    #expect(
      try vault.core().accounts(.all).accounts.map(\.identity) == listed.accounts.map(\.identity))
  }

  @Test("each condition of a query chooses by itself, without regard to case")
  func conditions() throws {
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

  @Test("tenant profiles come home tenant first")
  func profiles() throws {
    let ada = try everybody().accounts(AccountQuery(username: "ada@contoso.example")).accounts[0]
    #expect(ada.tenantProfiles.map(\.tenantID) == [Person.contoso, Person.fabrikam])
    #expect(ada.tenantProfiles.map(\.isHomeTenantProfile) == [true, false])
    #expect(ada.homeAccountID.tenantID == Person.contoso)
  }

  @Test("an empty answer says why")
  func emptyReasons() throws {
    let core = vault.core()
    #expect(try core.accounts(.all).emptyReason == .groupDoesNotExist)
    let other = GroupName("dev.tokenvault.shared")
    try vault.core(other).create()
    #expect(try core.accounts(.all).emptyReason == .onlyInOtherGroups([other]))
    try core.create()
    #expect(try core.accounts(.all).emptyReason == .noAccounts)
    try core.importCache(
      MSALCache(profiles: [Person.ada.profile()], tokens: [Person.ada.access("fake-at")]))
    #expect(try core.accounts(AccountQuery(signedIn: true)).emptyReason == .allSignedOut)
    #expect(try core.accounts(AccountQuery(clientID: "nobody")).emptyReason == .noneForClient)
    #expect(try core.accounts(AccountQuery(username: "nobody")).emptyReason == .noneMatches)
    #expect(try core.accounts(AccountQuery(signedIn: false)).accounts.count == 1)
  }

  @Test("signed in is asked for the client where the query names one")
  func signedInClient() throws {
    let core = vault.core()
    try core.importCache(Person.ada.cache())
    #expect(
      try core.accounts(AccountQuery(clientID: Clients.cli, signedIn: true)).accounts.count == 1)
    let others = try core.accounts(AccountQuery(clientID: Clients.editor, signedIn: true))
    #expect(others.accounts.isEmpty && others.emptyReason == .noneForClient)
    try core.importCache(
      MSALCache(tokens: [Person.ada.refresh("fake-frt", family: "1")]))
    // Nobody has tried the family's token for the editor: it may be in the family.
    #expect(
      try core.accounts(AccountQuery(clientID: Clients.editor, signedIn: true)).accounts.count == 1)
    try core.importCache(
      MSALCache(apps: [
        .init(clientID: Clients.editor, environment: "login.windows.net", familyID: "")
      ]))
    #expect(
      try core.accounts(AccountQuery(clientID: Clients.editor, signedIn: true)).accounts.isEmpty)
  }

  @Test("an account answers to its name, alias, identifier and a unique prefix of that")
  func names() throws {
    let core = try everybody()
    try core.setAlias("Work", of: "bob@FABRIKAM.example")
    for text in ["work", "WORK", Person.bob.id, "2222", Person.bob.id.uppercased()] {
      #expect(try core.switchTo(text).username == "Bob@fabrikam.example")
    }
    #expect(try core.switchTo("ADA_guest@fabrikam").username == "ada@contoso.example")
    let eve = #expect(throws: VaultError.self) { try core.switchTo("eve@mail.example") }
    #expect(eve?.candidates?.map(\.policy) == ["b2c_1_edit", "b2c_1_signin"])
    let prefix = #expect(throws: VaultError.self) { try core.switchTo("33333333") }
    #expect(prefix?.candidates?.count == 2)
    for text in ["", "nobody", "ada", Person.bob.id + "x"] {
      #expect(throws: VaultError.self) { try core.switchTo(text) }
    }
  }

  @Test("one user name in two environments is two accounts, and ambiguous")
  func twoEnvironments() throws {
    let core = vault.core()
    var twin = Person.ada
    twin.environment = "login.microsoftonline.us"
    try core.importCache(Person.ada.cache() + twin.cache())
    let error = #expect(throws: VaultError.self) { try core.switchTo("ada@contoso.example") }
    #expect(
      error?.candidates?.map(\.environment)
        == ["login.microsoftonline.com", "login.microsoftonline.us"])
    let same = #expect(throws: VaultError.self) { try core.switchTo(Person.ada.id) }
    // What the message offers selects, and so do other names and aliases of the cloud.
    for candidate in try #require(same?.candidates) {
      #expect(try core.switchTo(candidate.selector).identity == candidate.identity)
    }
    let us = "login.microsoftonline.us"
    for text in [
      "ADA@contoso.example//login.usgovcloudapi.net", "\(Person.ada.id.uppercased())//\(us)",
    ] {
      #expect(try core.switchTo(text).environment == us)
    }
    #expect(throws: VaultError.self) { try core.switchTo("1111//\(us)") }
    #expect(throws: VaultError.self) { try core.switchTo("ada@contoso.example//id.example") }
    #expect(try core.setAlias("gov", of: "\(Person.ada.id)//\(us)").environment == us)
    // Another account's name does not take the place of what selects this one.
    var impostor = Person.bob
    impostor.username = "\(Person.ada.id)//\(us)"
    try core.importCache(impostor.cache())
    #expect(try core.switchTo(impostor.username).username == "ada@contoso.example")
    #expect(try core.signOut([impostor.username]).accounts.map(\.environment) == [us])
  }

  @Test("a damaged directory of names hides no account and stops nobody")
  func damagedNames() throws {
    let core = try everybody()
    try core.setAlias("work", of: Person.bob.id)
    core.close()
    try Database(path: vault.file().path, busyMilliseconds: 0).execute(
      "UPDATE name SET sealed = zeroblob(length(sealed))")
    let fresh = vault.core()
    for text in ["work", Person.bob.id, "bob@fabrikam.example", "2222"] {
      let found = try fresh.account(.named(text))
      #expect(found.username == "Bob@fabrikam.example")
    }
    let none = #expect(throws: VaultError.self) { try fresh.account(.named("nobody")) }
    #expect(none?.name == "noAccount")
  }

  @Test("two aliases of one cloud are one account")
  func cloudAlias() throws {
    let core = vault.core()
    try core.importCache(Person.ada.cache())
    var same = Person.ada
    same.environment = "login.windows.net"
    same.id = same.id.uppercased()
    #expect(try core.importCache(same.cache("-2")).added.isEmpty)
    #expect(try core.accounts(.all).accounts.count == 1)
  }

  @Test("a subject of another provider keeps its case")
  func subjects() throws {
    let core = vault.core()
    let upper = Person(
      id: "Subject", username: "one", realm: "realm", environment: "id.example",
      authorityType: "OIDC")
    var lower = upper
    lower.id = "subject"
    lower.username = "two"
    try core.importCache(
      MSALCache(profiles: [upper.profile(), lower.profile()]))
    #expect(try core.accounts(.all).accounts.map(\.identifier) == ["Subject", "subject"])
    #expect(try core.switchTo("Subject").username == "one")
    #expect(try core.switchTo("subject").username == "two")
    #expect(try core.switchTo("subject//ID.example").username == "two")
    let both = #expect(throws: VaultError.self) { try core.switchTo("SUBJECT") }
    #expect(both?.candidates?.map(\.selector) == ["Subject//id.example", "subject//id.example"])
    #expect(try core.signOut(["Subject"]).accounts.map(\.identifier) == ["Subject"])
  }

  @Test("an alias is taken once, can be given up, and holds no space or control character")
  func aliases() throws {
    let core = try everybody()
    #expect(try core.setAlias("work", of: "ada@contoso.example").alias == "work")
    #expect(try core.setAlias("WORK", of: "ada@contoso.example").alias == "WORK")
    let taken = #expect(throws: VaultError.self) {
      try core.setAlias("Work", of: "bob@fabrikam.example")
    }
    #expect(taken?.name == "aliasTaken")
    // A name of another account is no alias either.
    #expect(throws: VaultError.self) {
      try core.setAlias("bob@fabrikam.example", of: "ada@contoso.example")
    }
    for bad in ["a b", "a\nb", "a\u{7f}", String(repeating: "a", count: 129)] {
      let error = #expect(throws: VaultError.self) {
        try core.setAlias(bad, of: "ada@contoso.example")
      }
      #expect(error?.name == "invalid")
    }
    #expect(try core.setAlias("", of: "work").alias == nil)
    #expect(try core.setAlias("work", of: "bob@fabrikam.example").alias == "work")
  }

  @Test("tokens without an account are found by their client, and can be signed out")
  func orphans() throws {
    let core = vault.core()
    var orphan = Person.ada
    orphan.id = ""
    try core.importCache(MSALCache(tokens: [orphan.access("fake-orphan")]) + Person.bob.cache())
    #expect(try core.tokenText(account: Clients.cli) == "fake-orphan")
    #expect(try core.signOut([Clients.cli]).accounts.count == 1)
    #expect(try core.accounts(.all).usernames == ["Bob@fabrikam.example"])
  }
}
