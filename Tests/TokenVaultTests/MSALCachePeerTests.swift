import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

/// MSAL for Python writes a cache, this package reads and rewrites it, and MSAL serves tokens from
/// the result.
@Suite(.timeLimit(.minutes(5))) struct MSALCachePeerTests {
  private static let peers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Peers")

  private struct Made: Decodable {
    struct Account: Decodable {
      let username: String
      let identifier: String
    }
    let accounts: [Account]
    let entities: [String: Int]
  }

  private struct Answers: Decodable, Equatable {
    struct Application: Decodable, Equatable {
      let client_id: String
      let authority: String
      let scopes: [String]
      let accounts: [Account]
      let families: [String?]
      let family_refresh_tokens: Int
    }
    struct Account: Decodable, Equatable {
      let username: String
      let identifier: String
      let access_token: String?
      let source: String?
    }
    let applications: [Application]
    let tokens_without_account: Int
    let tokens_with_empty_account: Int
    let left_after_sign_out: [String: Int]
  }

  /// MSAL has no network.
  @Test(
    .parity(
      "SerializableTokenCache.serialize", "SerializableTokenCache.deserialize", "cache.Marshaler",
      "cache.Unmarshaler"))
  func msalServesEveryAccountFromTheRewrittenCacheAsFromItsOwn() throws {
    let python = try PythonPeer()
    let directory = URL(fileURLWithPath: NSTemporaryDirectory())
      .appending(path: "msal-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    let original = directory.appending(path: "original.json")
    let rewritten = directory.appending(path: "rewritten.json")
    let answer = Self.peers.appending(path: "answer_silently.py")

    let made = try JSONDecoder().decode(
      Made.self,
      from: try python.run(Self.peers.appending(path: "make_cache.py"), [original.path]))
    let bytes = [UInt8](try Data(contentsOf: original))
    let cache = try MSALCache(json: bytes)

    #expect(cache.profiles.count == made.entities["Account"])
    #expect(cache.apps.count == made.entities["AppMetadata"])
    #expect(
      cache.tokens.count
        == ["AccessToken", "RefreshToken", "IdToken"].compactMap { made.entities[$0] }
        .reduce(0, +))
    for account in made.accounts {
      #expect(
        cache.profiles.contains {
          $0.homeAccountID == account.identifier && $0.username == account.username
        })
    }
    #expect(cache.tokens.filter { $0.homeAccountID.isEmpty }.count == 3)
    for token in cache.tokens where token.credential.kind == .idToken {
      let claims = try #require(IDToken(token.secret.reveal()))
      #expect(
        cache.profiles.contains {
          $0.homeAccountID == token.homeAccountID && $0.realm == token.credential.realm
            && $0.username == claims.username && $0.localAccountID == claims.localAccountID
        })
    }
    // Nothing is lost from MSAL's cache or added to it.
    #expect(try cache.json() == JSONValue(parsing: bytes).bytes)

    try Data(try cache.json()).write(to: rewritten)
    let before = try JSONDecoder().decode(
      Answers.self, from: try python.run(answer, [original.path]))
    let after = try JSONDecoder().decode(
      Answers.self, from: try python.run(answer, [rewritten.path]))
    #expect(after == before)

    let answered = after.applications.flatMap(\.accounts).filter { $0.access_token != nil }
    #expect(Set(answered.map(\.identifier)) == Set(made.accounts.map(\.identifier)))
    #expect(answered.allSatisfy { $0.source == "cache" })
    #expect(answered.count == 6)
    #expect(after.applications.prefix(3).allSatisfy { $0.families == ["1"] })
    #expect(after.applications.allSatisfy { $0.family_refresh_tokens == 2 })
    #expect(
      after.left_after_sign_out == [
        "AccessToken": 4, "RefreshToken": 3, "IdToken": 2, "Account": 2, "AppMetadata": 3,
      ])
    #expect(after.tokens_without_account == 1)
    #expect(after.tokens_with_empty_account == 1)
  }
}
