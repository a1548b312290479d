import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct CacheImportTests {
  private let vault: TestVault
  private let session: GroupSession

  init() throws {
    vault = try TestVault()
    session = vault.groupSession()
  }

  @Test(.parity("SerializableTokenCache.deserialize", "cache.Unmarshaler"))
  func importingTheSameCacheAgainChangesNothing() throws {
    let cache = try MSALCache(json: Array(MSALCacheFixtures.dotNet.utf8))
    let first = try session.importCache(cache)
    #expect(first.madeGroup && first.added.count == 1 && first.credentials == 2)
    let second = try session.importCache(cache)
    #expect(second.unchanged.count == 1 && second.added.isEmpty && second.updated.isEmpty)
    #expect(second.credentials == 0 && second.olderCredentials == 0 && !second.madeGroup)
  }

  @Test func cachesOfEveryLibraryAreExportedAsTheyWereImported() throws {
    for fixture in [
      MSALCacheFixtures.python, MSALCacheFixtures.go, MSALCacheFixtures.dotNet,
      MSALCacheFixtures.javaScript, MSALCacheFixtures.java, MSALCacheFixtures.android,
      MSALCacheFixtures.objectiveC,
    ] {
      let vault = try TestVault()
      let cache = try MSALCache(json: Array(fixture.utf8))
      try vault.groupSession().importCache(cache)
      let exported = try vault.groupSession().exportCache(.all)
      #expect(
        Set(exported.tokens.map { $0.secret.reveal() })
          == Set(cache.tokens.map { $0.secret.reveal() }))
      #expect(exported.unknown == cache.unknown)
      #expect(try exported.json().count == cache.json().count)
    }
  }

  @Test func anOlderCredentialNeverReplacesANewerOne() throws {
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
    try session.importCache(cache("-2", at: 2))
    let older = try session.importCache(cache("-1", at: 1))
    #expect(older.olderCredentials == 2 && older.credentials == 0 && older.updated.isEmpty)
    #expect(try session.tokenText() == "fake-at-ada@contoso.example-2")
    let newer = try session.importCache(cache("-3", at: 3))
    #expect(newer.credentials == 2 && newer.updated.count == 1)
    #expect(try session.tokenText() == "fake-at-ada@contoso.example-3")
    #expect(try session.exportCache(.all).tokens.count == 2)
  }

  @Test func importingASignedOutAccountSignsItInAgain() throws {
    try session.importCache(Person.ada.cache())
    try session.signOut([Person.ada.id])
    #expect(try session.importCache(Person.ada.cache()).added.count == 1)
    try session.signOut([Person.ada.id], client: Clients.cli)
    #expect(throws: VaultError.self) {
      try session.tokenText(account: Person.ada.id, client: Clients.cli)
    }
    try session.importCache(Person.ada.cache())
    #expect(
      try session.tokenText(account: Person.ada.id, client: Clients.cli)
        == "fake-at-ada@contoso.example")
    // A family refresh token survives the client's sign-out if another client uses the account.
    // Importing it alone also signs the client in again.
    let family = MSALCache(tokens: [Person.bob.refresh("fake-frt", family: "1")])
    try session.importCache(
      MSALCache(tokens: [Person.bob.access("fake-at-editor", client: Clients.editor)]))
    try session.importCache(family)
    try session.signOut([Person.bob.id], client: Clients.cli)
    let query = AccountQuery(identifier: Person.bob.id, clientID: Clients.cli, signedIn: true)
    #expect(try session.accounts(query).accounts.isEmpty)
    try session.importCache(family)
    #expect(try session.accounts(query).accounts.count == 1)
  }

  @Test func onlyTheLastVersionOfAForeignCredentialIsKept() throws {
    func cache(_ secret: String, _ expiry: Int) throws -> MSALCache {
      try MSALCache(
        json: Array(
          """
          {"Account":{},"RefreshToken":{"k":{"credential_type":"PrimaryRefreshToken",
            "secret":"\(secret)","home_account_id":"\(Person.ada.id)",
            "environment":"login.windows.net","expires_on":\(expiry)}}}
          """.utf8))
    }
    try session.importCache(try cache("fake-prt-1", 1))
    try session.importCache(try cache("fake-prt-2", 2))
    #expect(try session.exportCache(.all).json() == cache("fake-prt-2", 2).json())
  }

  @Test func anEntryTooLargeForARowIsRefusedAndChangesNothing() throws {
    func refused(_ cache: MSALCache) -> Bool {
      let error = #expect(throws: VaultError.self) { try session.importCache(cache) }
      if case .tooLarge? = error?.store { return true }
      return false
    }
    let large = Array("\"\(String(repeating: "x", count: 1 << 20))\"".utf8)
    #expect(refused(Person.ada.cache() + MSALCache(unknown: [.init(name: "n", json: large)])))
    let secret = String(repeating: "s", count: 1 << 20)
    #expect(refused(MSALCache(tokens: [Person.ada.access(secret)])))
    #expect(try session.accounts(.all).emptyReason == .groupDoesNotExist)
    // Two values that are too large only together.
    let half = Array("\"\(String(repeating: "x", count: 600_000))\"".utf8)
    try session.importCache(MSALCache(unknown: [.init(name: "a", json: half)]))
    #expect(refused(Person.ada.cache() + MSALCache(unknown: [.init(name: "b", json: half)])))
    #expect(try session.accounts(.all).emptyReason == .noAccounts)
    #expect(try session.exportCache(.all).unknown.map(\.name) == ["a"])
  }

  @Test func idTokenClaimsBecomePartOfTenantProfiles() throws {
    let payload = Base64URL.encode(Array(#"{"name":"Ada","oid":"local"}"#.utf8))
    try session.importCache(
      Person.ada.cache()
        + MSALCache(tokens: [
          Person.ada.token(.idToken, "e30.\(payload).sig") { $0.realm = Person.contoso }
        ]))
    let profile = try vault.groupSession().accounts(.all).accounts[0].tenantProfiles[0]
    #expect(IDToken(claimsJSON: profile.claimsJSON)?.name == "Ada")
  }
}
