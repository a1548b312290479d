import Foundation
import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

/// One account as the tests import it. All names, ids and tokens are made up.
struct Person {
  var id: String
  var username: String
  var realm: String
  var environment = "login.microsoftonline.com"
  var authorityType = "MSSTS"

  static let contoso = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
  static let fabrikam = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
  static let ada = Person(
    id: "11111111-1111-4111-8111-111111111111.\(contoso)", username: "ada@contoso.example",
    realm: contoso)
  static let bob = Person(
    id: "22222222-2222-4222-8222-222222222222.\(fabrikam)", username: "Bob@fabrikam.example",
    realm: fabrikam)

  static func eve(policy: String) -> Person {
    Person(
      id: "33333333-3333-4333-8333-333333333333-\(policy).\(fabrikam)",
      username: "eve@mail.example", realm: fabrikam, environment: "shop.b2clogin.com")
  }

  func profile(realm: String? = nil, username: String? = nil, local: String? = nil)
    -> MSALCache.Profile
  {
    MSALCache.Profile(
      homeAccountID: id, environment: environment, realm: realm ?? self.realm,
      localAccountID: local ?? HomeAccountID(id).objectID, username: username ?? self.username,
      authorityType: authorityType)
  }

  func token(
    _ kind: Credential.Kind, _ secret: String, client: String = Clients.cli,
    _ change: (inout Credential) -> Void = { _ in }
  ) -> MSALCache.Token {
    var credential = Credential(kind: kind, clientID: client, environment: environment)
    credential.lastModified = Timestamp(epochSeconds: TestVault.start - 100)
    change(&credential)
    return MSALCache.Token(
      credential: credential, homeAccountID: id, secret: Redacted(secret))
  }

  /// An access token that is valid for another hour.
  func access(
    _ secret: String, _ scopes: String = "User.Read", client: String = Clients.cli,
    realm: String? = nil, _ change: (inout Credential) -> Void = { _ in }
  ) -> MSALCache.Token {
    token(.accessToken, secret, client: client) {
      $0.realm = realm ?? self.realm
      $0.target = scopes
      $0.lastModified = nil
      $0.cachedAt = Timestamp(epochSeconds: TestVault.start - 100)
      $0.expiresOn = Timestamp(epochSeconds: TestVault.start + 3600)
      change(&$0)
    }
  }

  func refresh(_ secret: String, client: String = Clients.cli, family: String = "")
    -> MSALCache.Token
  {
    token(.refreshToken, secret, client: client) { $0.familyID = family }
  }

  /// Profile, refresh token and one access token.
  func cache(_ mark: String = "") -> MSALCache {
    MSALCache(
      profiles: [profile()],
      tokens: [refresh("fake-rt-\(username)\(mark)"), access("fake-at-\(username)\(mark)")])
  }
}

enum Clients {
  static let cli = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
  static let editor = "55555555-5555-4555-8555-555555555555"
}

extension MSALCache {
  static func + (left: MSALCache, right: MSALCache) -> MSALCache {
    MSALCache(
      profiles: left.profiles + right.profiles, tokens: left.tokens + right.tokens,
      apps: left.apps + right.apps, unknown: left.unknown + right.unknown)
  }
}

extension VaultError {
  /// The case's name.
  var name: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
  var custody: CustodyError? {
    if case .custody(let error, _) = self { error } else { nil }
  }
  var store: StoreError? {
    if case .store(let error, _) = self { error } else { nil }
  }
  var interaction: InteractionReason? {
    if case .interactionRequired(let reason, _, _) = self { reason } else { nil }
  }
  var candidates: [Account]? {
    switch self {
    case .ambiguousAccount(_, let candidates), .ambiguousCurrentAccount(let candidates, _):
      candidates
    default: nil
    }
  }
}

extension AccountListing {
  var usernames: [String] { accounts.map(\.username) }
}

extension GroupSession {
  func tokenText(
    _ scopes: String = "User.Read", account: String? = nil, client: String? = nil
  ) throws(VaultError) -> String {
    let request = TokenRequest(scopes: ScopeSet(target: scopes), clientID: client)
    return String(
      decoding: try token(request, account: account).accessToken.reveal(), as: UTF8.self)
  }

  func header() throws -> GroupHeader {
    let locked = try LockedGroup(path: configuration.groupPath)
    return locked.header
  }

  func keyID(_ generation: UInt64? = nil) throws -> GroupKeyID {
    let header = try header()
    return GroupKeyID(groupID: header.groupID, generation: generation ?? header.generation)
  }
}

extension TestVault {
  var custodian: SecretServiceCustodian {
    SecretServiceCustodian(busAddress: session.busAddress, allowPrompt: false)
  }

  /// Every item of the keyring, as secret-tool sees it, by the secrets' text.
  func keyringSecrets() throws -> [String] {
    let found = try session.run([
      "secret-tool", "search", "--all", "xdg:schema", "dev.tokenvault.GroupKey",
    ])
    return found.split(separator: "\n").compactMap { line in
      line.hasPrefix("secret = ") ? String(line.dropFirst(9)) : nil
    }
  }

  /// The generations that secret-tool, and not the code under test, sees for a group.
  func keyringGenerations(_ groupID: [UInt8]) throws -> [Int] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["secret-tool", "search", "--all", "group", Hexadecimal.encode(groupID)]
    process.environment = session.environment
    let output = Pipe()
    process.standardOutput = output
    // It prints attributes to standard error.
    process.standardError = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").compactMap { line in
      line.hasPrefix("attribute.generation = ") ? Int(line.dropFirst(23)) : nil
    }.sorted()
  }

  /// Copies the group's files as a backup does.
  func backUp(_ group: GroupName = .universalStorage) throws -> [(URL, Data)] {
    let file = file(group).path
    return try ["", "-wal"].compactMap { suffix in
      let path = file + suffix
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      return (URL(filePath: path), try Data(contentsOf: URL(filePath: path)))
    }
  }

  /// Puts a backup back, in new files.
  func restore(_ backup: [(URL, Data)], _ group: GroupName = .universalStorage) throws {
    for suffix in ["", "-wal", "-shm"] {
      let path = file(group).path + suffix
      if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.removeItem(atPath: path)
      }
    }
    for (url, data) in backup {
      try data.write(to: url)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
  }
}
