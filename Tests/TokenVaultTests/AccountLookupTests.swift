@testable import TokenVaultGroupStore
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct AccountLookupTests {
  private let vault: TestVault

  init() throws { vault = try TestVault() }

  @Test func anAccountIsFoundByUsernameAliasIdentifierOrUniquePrefix() throws {
    let session = try vault.sessionWithAllAccounts()
    try session.setAlias("Work", of: "bob@FABRIKAM.example")
    for text in ["work", "WORK", Person.bob.id, "2222", "wor", Person.bob.id.uppercased()] {
      #expect(try session.switchTo(text).username == "Bob@fabrikam.example")
    }
    #expect(try session.switchTo("ADA_guest@fabrikam").username == "ada@contoso.example")
    let eve = #expect(throws: VaultError.self) { try session.switchTo("eve@mail.example") }
    #expect(eve?.candidates?.map(\.policy) == ["b2c_1_edit", "b2c_1_signin"])
    let prefix = #expect(throws: VaultError.self) { try session.switchTo("33333333") }
    #expect(prefix?.candidates?.count == 2)
    #expect(try session.switchTo("ada").username == "ada@contoso.example")
    #expect(try session.switchTo("ada@con").username == "ada@contoso.example")
    // A prefix has at least three characters; a command that erases takes none.
    for text in ["", "nobody", "ad", "22", Person.bob.id + "x"] {
      #expect(throws: VaultError.self) { try session.switchTo(text) }
    }
  }

  @Test(.parity("MSALAccount.environment"))
  func aUsernameInTwoEnvironmentsIsAmbiguous() throws {
    let session = vault.groupSession()
    var twin = Person.ada
    twin.environment = "login.microsoftonline.us"
    try session.importCache(Person.ada.cache() + twin.cache())
    let error = #expect(throws: VaultError.self) { try session.switchTo("ada@contoso.example") }
    #expect(
      error?.candidates?.map(\.environment)
        == ["login.microsoftonline.com", "login.microsoftonline.us"])
    let same = #expect(throws: VaultError.self) { try session.switchTo(Person.ada.id) }
    // The selectors of the candidates select, also with other user names and aliases of the cloud.
    for candidate in try #require(same?.candidates) {
      #expect(try session.switchTo(candidate.selector).identity == candidate.identity)
    }
    let us = "login.microsoftonline.us"
    for text in [
      "ADA@contoso.example//login.usgovcloudapi.net", "\(Person.ada.id.uppercased())//\(us)",
    ] {
      #expect(try session.switchTo(text).environment == us)
    }
    #expect(throws: VaultError.self) { try session.switchTo("1111//\(us)") }
    #expect(throws: VaultError.self) { try session.switchTo("ada@contoso.example//id.example") }
    #expect(try session.setAlias("gov", of: "\(Person.ada.id)//\(us)").environment == us)
    // The user name of another account does not take precedence over this account's selector.
    var impostor = Person.bob
    impostor.username = "\(Person.ada.id)//\(us)"
    try session.importCache(impostor.cache())
    #expect(try session.switchTo(impostor.username).username == "ada@contoso.example")
    #expect(try session.signOut([impostor.username]).accounts.map(\.environment) == [us])
  }

  @Test func aDamagedNameIndexHidesNoAccount() throws {
    let session = try vault.sessionWithAllAccounts()
    try session.setAlias("work", of: Person.bob.id)
    session.close()
    try Database(path: vault.file().path, busyMilliseconds: 0).execute(
      "UPDATE name SET sealed = zeroblob(length(sealed))")
    let fresh = vault.groupSession()
    for text in ["work", Person.bob.id, "bob@fabrikam.example", "2222"] {
      let found = try fresh.account(.named(text))
      #expect(found.username == "Bob@fabrikam.example")
    }
    let none = #expect(throws: VaultError.self) { try fresh.account(.named("nobody")) }
    #expect(none?.name == "noAccount")
  }

  @Test func subjectsOfAThirdPartyProviderAreCaseSensitive() throws {
    let session = vault.groupSession()
    let upper = Person(
      id: "Subject", username: "one", realm: "realm", environment: "id.example",
      authorityType: "OIDC")
    var lower = upper
    lower.id = "subject"
    lower.username = "two"
    try session.importCache(
      MSALCache(profiles: [upper.profile(), lower.profile()]))
    #expect(try session.accounts(.all).accounts.map(\.identifier) == ["Subject", "subject"])
    #expect(try session.switchTo("Subject").username == "one")
    #expect(try session.switchTo("subject").username == "two")
    #expect(try session.switchTo("subject//ID.example").username == "two")
    let both = #expect(throws: VaultError.self) { try session.switchTo("SUBJECT") }
    #expect(both?.candidates?.map(\.selector) == ["Subject//id.example", "subject//id.example"])
    #expect(try session.signOut(["Subject"]).accounts.map(\.identifier) == ["Subject"])
  }

  @Test func anAliasIsUniqueRemovableAndPrintable() throws {
    let session = try vault.sessionWithAllAccounts()
    #expect(try session.setAlias("work", of: "ada@contoso.example").alias == "work")
    #expect(try session.setAlias("WORK", of: "ada@contoso.example").alias == "WORK")
    let taken = #expect(throws: VaultError.self) {
      try session.setAlias("Work", of: "bob@fabrikam.example")
    }
    #expect(taken?.name == "aliasTaken")
    // The user name of another account cannot be an alias.
    #expect(throws: VaultError.self) {
      try session.setAlias("bob@fabrikam.example", of: "ada@contoso.example")
    }
    for bad in ["a b", "a\nb", "a\u{7f}", String(repeating: "a", count: 129)] {
      let error = #expect(throws: VaultError.self) {
        try session.setAlias(bad, of: "ada@contoso.example")
      }
      #expect(error?.name == "invalid")
    }
    #expect(try session.setAlias("", of: "work").alias == nil)
    #expect(try session.setAlias("work", of: "bob@fabrikam.example").alias == "work")
  }

  @Test func tokensWithoutAnAccountAreFoundByTheirClientID() throws {
    let session = vault.groupSession()
    var orphan = Person.ada
    orphan.id = ""
    try session.importCache(MSALCache(tokens: [orphan.access("fake-orphan")]) + Person.bob.cache())
    #expect(try session.tokenText(account: Clients.cli) == "fake-orphan")
    #expect(try session.signOut([Clients.cli]).accounts.count == 1)
    #expect(try session.accounts(.all).usernames == ["Bob@fabrikam.example"])
  }
}
