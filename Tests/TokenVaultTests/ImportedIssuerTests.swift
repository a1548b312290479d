import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault

/// MSAL's caches name the host of an account and not its issuer. The ID tokens in them do.
@Suite(.timeLimit(.minutes(5))) struct ImportedIssuerTests {
  static let one = "https://id.example.com/realms/one"
  static let two = "https://id.example.com/realms/two"
  private let session: GroupSession

  init() throws { session = try TestVault().groupSession() }

  private static func person(_ username: String = "ada@id.example") -> Person {
    Person(
      id: "ada", username: username, realm: "realms", environment: "id.example.com",
      authorityType: "MSSTS")
  }

  static func cache(
    _ issuer: String?, client: String = Clients.cli, _ mark: String = "",
    username: String = "ada@id.example"
  ) -> MSALCache {
    let person = person(username)
    var tokens = [
      person.refresh("fake-rt\(mark)", client: client),
      person.access("fake-at\(mark)", client: client),
    ]
    if let issuer {
      let claims = #"{"iss":"\#(issuer)","sub":"ada","preferred_username":"\#(username)"}"#
      let payload = Base64URL.encode(Array(claims.utf8))
      tokens.append(
        person.token(.idToken, "e30.\(payload).s", client: client) { $0.realm = "realms" })
    }
    return MSALCache(profiles: [person.profile()], tokens: tokens)
  }

  private func selectors() throws -> [String] {
    try session.accounts(.all).accounts.map(\.selector).sorted()
  }

  private func token(_ selector: String) throws -> String {
    try session.tokenText(account: selector, client: nil)
  }

  @Test func accountsOfTwoIssuersAreImportedBesideEachOther() throws {
    try session.importCache(Self.cache(Self.one, "-one"))
    let report = try session.importCache(Self.cache(Self.two + "/", "-two"))
    #expect(report.added.count == 1)
    #expect(try selectors() == ["ada//\(Self.one)", "ada//\(Self.two)"])
    // The stored tokens are still sent to their own issuer.
    for issuer in [Self.one, Self.two] {
      let stored = try session.storedSignIn(AccountReference(parsing: "ada//\(issuer)"))
      #expect(stored.authority.map { AccountIdentity.bare($0.description) } == issuer)
    }
    #expect(try token("ada//\(Self.one)") == "fake-at-one")
    #expect(try token("ada@id.example//\(Self.two)") == "fake-at-two")
    #expect(try session.importCache(Self.cache(Self.one, "-one")).unchanged.count == 1)
    // An export names both issuers, in their ID tokens.
    let copy = try TestVault().groupSession()
    try copy.importCache(session.exportCache(AccountQuery(username: "ada@id.example")))
    #expect(try copy.accounts(.all).accounts.map(\.issuer).contains(Self.one))
  }

  /// MSAL stores the two as one account.
  @Test func oneFileMayHaveAccountsOfTwoIssuers() throws {
    let both =
      Self.cache(Self.one, "-one", username: "ada@one.example")
      + Self.cache(Self.two, client: Clients.editor, "-two", username: "ada@two.example")
    #expect(try session.importCache(both).added.count == 2)
    #expect(try selectors() == ["ada//\(Self.one)", "ada//\(Self.two)"])
    #expect(try session.account(named: "ada//\(Self.one)").username == "ada@one.example")
    #expect(try session.account(named: "ada//\(Self.two)").username == "ada@two.example")
    #expect(try token("ada//\(Self.one)") == "fake-at-one")
    #expect(try token("ada//\(Self.two)") == "fake-at-two")
    let copy = try TestVault().groupSession()
    let exported = try session.exportCache(.all)
    try copy.importCache(exported)
    #expect(
      try copy.accounts(.all).accounts.map(\.identity).sorted { $0.issuer < $1.issuer }
        == session.accounts(.all).accounts.map(\.identity).sorted { $0.issuer < $1.issuer })
    #expect(Set(exported.tokens) == Set(both.tokens))
  }

  @Test func withoutAnIDTokenAnAccountIsRecognisedByItsUserName() throws {
    try session.importCache(Self.cache(Self.one, "-one"))
    // MSAL refreshed the token of the same account.
    #expect(try session.importCache(Self.cache(nil, "-new")).added.isEmpty)
    // The same subject with another name may be another person.
    let report = try session.importCache(Self.cache(nil, "-other", username: "eve@id.example"))
    #expect(report.added.count == 1)
    #expect(try selectors() == ["ada//\(Self.one)", "ada//id.example.com"])
    // Each of the two texts names one account, although both are at the host.
    #expect(try session.account(named: "ada//id.example.com").username == "eve@id.example")
    #expect(try session.account(named: "ada//\(Self.one)").username == "ada@id.example")
    #expect(throws: VaultError.self) { try session.account(named: "ada") }
  }

  @Test func anImportFindsAnAccountThatWasStoredWithoutItsIssuer() throws {
    try session.importCache(Self.cache(Self.one, "-one"))
    try session.write { transaction in
      let stored = try session.lookup.stored(.named("ada"), in: transaction)
      #expect(try transaction.setIssuer("", of: stored) != nil)
    }
    #expect(try session.importCache(Self.cache(Self.one, "-one")).unchanged.count == 1)
    #expect(try session.importCache(Self.cache(Self.two, "-two")).added.count == 1)
    #expect(try selectors() == ["ada//\(Self.one)", "ada//\(Self.two)"])
  }

  /// A provider may rotate a refresh token while the user signs in and the account gets its issuer.
  @Test func aRefreshTokenThatArrivesForTheFormerIdentityIsStored() throws {
    try session.importCache(Self.cache(Self.one, "-one"))
    func move(to issuer: String) throws {
      try session.write { transaction in
        let stored = try session.lookup.stored(.named("ada"), in: transaction)
        #expect(try transaction.setIssuer(issuer, of: stored) != nil)
      }
    }
    try move(to: "")
    let former = try session.account(named: "ada")
    try move(to: Self.one)
    #expect(try session.account(named: "ada").identity != former.identity)
    let kept = try SignInStorage(session).keepRefreshToken(
      Redacted("fake-rt-new"), of: former, client: Clients.cli,
      sent: Redacted("fake-rt-one"))
    guard case .kept = kept else {
      Issue.record("\(kept)")
      return
    }
    #expect(try session.exportCache(.all).tokens.contains { $0.secret.reveal() == "fake-rt-new" })
  }

  @Test func aSharedDeviceTakesNoFileWithTwoIssuers() throws {
    try SmallFile.write(
      Array(#"{"deviceMode":"shared"}"#.utf8), to: session.configuration.deviceFile)
    let both = Self.cache(Self.one) + Self.cache(Self.two, client: Clients.editor)
    let error = #expect(throws: VaultError.self) { try session.importCache(both) }
    #expect(error?.name == "sharedDeviceTakesOne")
  }

  /// Otherwise a file could direct refresh tokens to another issuer at the same host.
  @Test func anImportCannotChangeTheIssuerOfAnAccountOfAPrivateHost() throws {
    func cache(_ issuer: String) -> MSALCache {
      var person = Self.person()
      person.authorityType = "ADFS"
      let payload = Base64URL.encode(Array(#"{"iss":"\#(issuer)","sub":"ada"}"#.utf8))
      return MSALCache(
        profiles: [person.profile()],
        tokens: [person.refresh("fake-rt"), person.token(.idToken, "e30.\(payload).s")])
    }
    try session.importCache(cache(Self.one))
    let error = #expect(throws: VaultError.self) { try session.importCache(cache(Self.two)) }
    #expect(error?.name == "accountOfOtherIssuer")
    try session.importCache(cache(Self.one))
    // The error names the account, and after its sign-out the file is taken.
    guard case .accountOfOtherIssuer(let account)? = error else { return }
    try session.signOut([account.selector])
    #expect(try session.importCache(cache(Self.two)).added.count == 1)
  }

  // MARK: Imported files

  @Test func aSignOutLooksInAFileForItsOwnIssuerOnly() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    func importFile(_ name: String, _ issuer: String) throws -> String {
      let file = vault.home.appending(path: name)
      let cache = Self.cache(issuer)
      try Data(cache.json()).write(to: file)
      try session.importCache(cache, from: file.path)
      return file.path
    }
    let first = try importFile("one.json", Self.one)
    let second = try importFile("two.json", Self.two)
    let report = try session.signOut(["ada//\(Self.one)"])
    #expect(report.uncleanFiles.map(\.file) == [first])
    let selector = try #require(report.uncleanFiles.first?.account?.selector)
    #expect(throws: VaultError.self) {
      try CacheFile(second).remove(AccountReference(parsing: selector))
    }
    let removed = try CacheFile(first).remove(AccountReference(parsing: selector))
    #expect(removed.count == 4)
  }
}
