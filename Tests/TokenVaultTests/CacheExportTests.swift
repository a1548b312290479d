import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

/// MSAL for Python writes a cache, a group imports and exports it, and MSAL serves tokens from the
/// export.
@Suite(.timeLimit(.minutes(5))) struct CacheExportTests {
  private static let peers = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Peers")
  private let vault: TestVault
  private let python: PythonPeer

  init() throws {
    vault = try TestVault()
    python = try PythonPeer()
    // MSAL's tokens are issued at the present time.
    vault.clock.withLock { $0 = Int64(Date().timeIntervalSince1970) + 2 }
  }

  private func make() throws -> (cache: MSALCache, path: String) {
    let path = vault.home.appending(path: "cache.json").path
    _ = try python.run(Self.peers.appending(path: "make_cache.py"), [path])
    return (try MSALCache(json: [UInt8](try Data(contentsOf: URL(filePath: path)))), path)
  }

  private func answers(_ path: String) throws -> NSDictionary {
    let answer = try python.run(Self.peers.appending(path: "answer_silently.py"), [path])
    return try #require(try JSONSerialization.jsonObject(with: answer) as? NSDictionary)
  }

  @Test(.parity("SerializableTokenCache.deserialize", "cache.Unmarshaler"))
  func anImportedMSALCacheIsListedAndItsTokensAreServed() throws {
    let session = vault.groupSession()
    let (cache, _) = try make()
    let report = try session.importCache(cache)
    // The fifth account has the tokens that came without an account.
    #expect(report.added.count == 5 && report.olderCredentials == 0)
    let accounts = try session.accounts(.all).accounts
    #expect(
      accounts.map(\.username) == [
        "", "ada@contoso.example", "Bob@fabrikam.example", "eve@mail.example", "eve@mail.example",
      ])
    #expect(accounts.map(\.policy) == [nil, nil, nil, "b2c_1_edit", "b2c_1_signin"])
    #expect(accounts[1].tenantProfiles.count == 2)
    #expect(accounts[1].tenantProfiles.map(\.isHomeTenantProfile) == [true, false])
    #expect(
      IDToken(claimsJSON: accounts[1].tenantProfiles[0].claimsJSON)?.name == "Ada L\u{f6}velace")
    #expect(accounts[3].authorityType == .b2c)
    #expect(accounts[3].personIdentifier == accounts[4].personIdentifier)
    let arm = "https://management.core.windows.net//.default"
    #expect(
      try session.tokenText(arm, account: "ada@contoso.example")
        == "fake-access-token-ada-contoso-arm"
    )
    #expect(
      try session.tokenText(
        "https://shop.onmicrosoft.com/orders/read", account: accounts[4].identifier)
        == "fake-access-token-eve-b2c_1_signin")
    let again = try session.importCache(cache)
    #expect(again.unchanged.count == 5 && again.credentials == 0 && again.updated.isEmpty)
  }

  /// MSAL has no network.
  @Test func msalServesEveryAccountFromTheExportAsFromItsOwnCache() throws {
    let (cache, original) = try make()
    try vault.groupSession().importCache(cache)
    let export = vault.home.appending(path: "export.json")
    try Data(try vault.groupSession().exportCache(.all).json()).write(to: export)
    #expect(try answers(export.path) == answers(original))
  }

  /// MSAL for Python writes back what it does not understand.
  @Test func msalKeepsAndIgnoresTheForeignEntitiesOfAnExport() throws {
    let (_, original) = try make()
    let file = try JSONValue(parsing: [UInt8](try Data(contentsOf: URL(filePath: original))))
    let ada = try #require(file["RefreshToken"]?.members?.first?.value["home_account_id"])
    let junk = JSONValue.object([.init("foo", .string("bar"))])
    var emptied = try #require(file["IdToken"]?.members?.first?.value.members)
    emptied.removeAll { $0.name == "secret" }
    let foreign: [(member: String, entity: JSONValue)] = [
      ("RefreshToken", junk), ("IdToken", .object(emptied + [.init("secret", .string(""))])),
      ("AppMetadata", .object([.init("environment", .string("login.microsoftonline.com"))])),
      ("Account", .object([.init("home_account_id", ada), .init("about", .string("nobody"))])),
      ("Unknown", junk),
    ]
    var members = file.members ?? []
    for (member, entity) in foreign {
      var entities: [JSONValue.Member] = []
      if let index = members.firstIndex(where: { $0.name == member }) {
        entities = members.remove(at: index).value.members ?? []
      }
      members.append(.init(member, .object(entities + [.init("foreign", entity)])))
    }
    let odd = vault.home.appending(path: "odd.json")
    try Data(JSONValue.object(members).bytes).write(to: odd)

    let session = vault.groupSession()
    try session.importCache(try MSALCache(json: [UInt8](try Data(contentsOf: odd))))
    let export = vault.home.appending(path: "export.json")
    let json = try session.exportCache(.all).json()
    try Data(json).write(to: export)
    #expect(json == JSONValue.object(members).bytes)
    #expect(try answers(export.path) == answers(odd.path))
  }

  @Test(.parity("SerializableTokenCache.serialize", "cache.Marshaler"))
  func anExportOfOneAccountContainsNothingOfOthers() throws {
    let (cache, _) = try make()
    let session = vault.groupSession()
    try session.importCache(cache)
    let json = try session.exportCache(AccountQuery(username: "bob@fabrikam.example")).json()
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains("fake-family-refresh-token-bob"))
    for other in ["token-ada", "ada@", "eve", "b2clogin", "token-device", "88888888"] {
      #expect(!text.contains(other))
    }
  }
}
