import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite("Importing into a group, and exporting from it")
struct ImportingTests {
  private let vault: TestVault
  private let core: GroupSession

  init() throws {
    vault = try TestVault()
    core = vault.core()
  }

  @Test("the same cache again changes nothing, and nothing is called older")
  func twice() throws {
    let cache = try MSALCache(json: Array(MSALCacheFixtures.dotNet.utf8))
    let first = try core.importCache(cache)
    #expect(first.madeGroup && first.added.count == 1 && first.credentials == 2)
    let second = try core.importCache(cache)
    #expect(second.unchanged.count == 1 && second.added.isEmpty && second.updated.isEmpty)
    #expect(second.credentials == 0 && second.olderCredentials == 0 && !second.madeGroup)
  }

  @Test("what each library wrote comes back out as it went in")
  func fixtures() throws {
    for fixture in [
      MSALCacheFixtures.python, MSALCacheFixtures.go, MSALCacheFixtures.dotNet,
      MSALCacheFixtures.javaScript, MSALCacheFixtures.objectiveC,
    ] {
      let vault = try TestVault()
      let cache = try MSALCache(json: Array(fixture.utf8))
      try vault.core().importCache(cache)
      let exported = try vault.core().exportCache(.all)
      #expect(
        Set(exported.tokens.map { $0.secret.reveal() })
          == Set(cache.tokens.map { $0.secret.reveal() }))
      #expect(exported.unknown == cache.unknown)
      #expect(try exported.json().count == cache.json().count)
    }
  }

  @Test("a file cannot say that another issuer at the same host is to be asked for new tokens")
  func otherIssuer() throws {
    func cache(_ issuer: String) -> MSALCache {
      let person = Person(
        id: "ada", username: "ada", realm: "", environment: "id.example.com",
        authorityType: "OIDC")
      let claims = Base64URL.encode(Array(#"{"iss":"\#(issuer)","sub":"ada"}"#.utf8))
      return MSALCache(
        profiles: [person.profile()],
        tokens: [person.refresh("fake-rt"), person.token(.idToken, "e30.\(claims).s")])
    }
    try core.importCache(cache("https://id.example.com/realms/one"))
    for other in ["https://id.example.com/realms/two", "https://id.example.com:8443/realms/one"] {
      #expect(throws: VaultError.self) { try core.importCache(cache(other)) }
      #expect(
        try core.storedSignIn(.named("ada")).authority?.description
          == "https://id.example.com/realms/one")
    }
    try core.importCache(cache("https://id.example.com/realms/one"))
  }

  @Test("an older credential never takes the place of a newer one, a newer one does")
  func older() throws {
    func cache(_ mark: String, at time: Int64) -> MSALCache {
      var cache = Person.ada.cache(mark)
      for index in cache.tokens.indices {
        let stamp = Timestamp(epochSeconds: TestVault.start - 1000 + time)
        if cache.tokens[index].credential.kind == .accessToken {
          cache.tokens[index].credential.cachedAt = stamp
        } else {
          cache.tokens[index].credential.lastModified = stamp
        }
      }
      return cache
    }
    try core.importCache(cache("-2", at: 2))
    let older = try core.importCache(cache("-1", at: 1))
    #expect(older.olderCredentials == 2 && older.credentials == 0 && older.updated.isEmpty)
    #expect(try core.tokenText() == "fake-at-ada@contoso.example-2")
    let newer = try core.importCache(cache("-3", at: 3))
    #expect(newer.credentials == 2 && newer.updated.count == 1)
    #expect(try core.tokenText() == "fake-at-ada@contoso.example-3")
    #expect(try core.exportCache(.all).tokens.count == 2)
  }

  @Test("importing an account again after its sign-out signs it in again")
  func again() throws {
    try core.importCache(Person.ada.cache())
    try core.signOut([Person.ada.id])
    #expect(try core.importCache(Person.ada.cache()).added.count == 1)
    try core.signOut([Person.ada.id], client: Clients.cli)
    #expect(throws: VaultError.self) { try core.tokenText(client: Clients.cli) }
    try core.importCache(Person.ada.cache())
    #expect(try core.tokenText(client: Clients.cli) == "fake-at-ada@contoso.example")
    // The family's token stayed over the sign-out; it alone signs the client in again, too.
    let family = MSALCache(tokens: [Person.bob.refresh("fake-frt", family: "1")])
    try core.importCache(family)
    try core.signOut([Person.bob.id], client: Clients.cli)
    let query = AccountQuery(identifier: Person.bob.id, clientID: Clients.cli, signedIn: true)
    #expect(try core.accounts(query).accounts.isEmpty)
    try core.importCache(family)
    #expect(try core.accounts(query).accounts.count == 1)
  }

  @Test("a foreign credential has one version, the last")
  func foreignVersions() throws {
    func cache(_ secret: String, _ expiry: Int) throws -> MSALCache {
      try MSALCache(
        json: Array(
          """
          {"Account":{},"RefreshToken":{"k":{"credential_type":"PrimaryRefreshToken",
            "secret":"\(secret)","home_account_id":"\(Person.ada.id)",
            "environment":"login.windows.net","expires_on":\(expiry)}}}
          """.utf8))
    }
    try core.importCache(try cache("fake-prt-1", 1))
    try core.importCache(try cache("fake-prt-2", 2))
    #expect(try core.exportCache(.all).json() == cache("fake-prt-2", 2).json())
  }

  @Test("the preferred name becomes current where no account is")
  func preferred() throws {
    try core.importCache(
      Person.ada.cache() + Person.bob.cache(), preferred: "BOB@fabrikam.example")
    #expect(try core.currentAccount().username == "Bob@fabrikam.example")
    try core.importCache(Person.ada.cache(), preferred: "ada@contoso.example")
    #expect(try core.currentAccount().username == "Bob@fabrikam.example")
  }

  @Test("what is too large for a row is a clear error, and changes nothing")
  func tooLarge() throws {
    func refused(_ cache: MSALCache) -> Bool {
      let error = #expect(throws: VaultError.self) { try core.importCache(cache) }
      if case .tooLarge? = error?.store { return true }
      return false
    }
    let large = Array("\"\(String(repeating: "x", count: 1 << 20))\"".utf8)
    #expect(refused(Person.ada.cache() + MSALCache(unknown: [.init(name: "n", json: large)])))
    let secret = String(repeating: "s", count: 1 << 20)
    #expect(refused(MSALCache(tokens: [Person.ada.access(secret)])))
    #expect(try core.accounts(.all).emptyReason == .groupDoesNotExist)
    // Two that are too large together.
    let half = Array("\"\(String(repeating: "x", count: 600_000))\"".utf8)
    try core.importCache(MSALCache(unknown: [.init(name: "a", json: half)]))
    #expect(refused(Person.ada.cache() + MSALCache(unknown: [.init(name: "b", json: half)])))
    #expect(try core.accounts(.all).emptyReason == .noAccounts)
    #expect(try core.exportCache(.all).unknown.map(\.name) == ["a"])
  }

  @Test("the claims of ID tokens come with the tenant profiles")
  func claims() throws {
    let payload = Base64URL.encode(Array(#"{"name":"Ada","oid":"local"}"#.utf8))
    try core.importCache(
      Person.ada.cache()
        + MSALCache(tokens: [
          Person.ada.token(.idToken, "e30.\(payload).sig") { $0.realm = Person.contoso }
        ]))
    let profile = try vault.core().accounts(.all).accounts[0].tenantProfiles[0]
    #expect(IDToken(claimsJSON: profile.claimsJSON)?.name == "Ada")
  }
}
