package import TokenVaultModel

/// All that a group knows of one account but the secrets: one sealed row, read on every look at
/// the account. The secrets stand in rows of their own, which a listing never opens.
package struct AccountRecord: Hashable, Sendable {
  /// One "Account" entity: the account in one tenant.
  package struct Profile: Hashable, Sendable {
    package var tenantID: String
    package var localAccountID: String
    package var username: String
    package var environment: String
    /// The claims of the tenant's ID token, a JSON object; empty for none.
    package var claimsJSON: [UInt8]
    /// The entity's further fields, a JSON object; empty for none.
    package var extraJSON: [UInt8]

    package init(
      tenantID: String, localAccountID: String, username: String, environment: String,
      claimsJSON: [UInt8] = [], extraJSON: [UInt8] = []
    ) {
      self.tenantID = tenantID
      self.localAccountID = localAccountID
      self.username = username
      self.environment = environment
      self.claimsJSON = claimsJSON
      self.extraJSON = extraJSON
    }
  }

  /// What one client said last about being signed in (MSAL's account metadata).
  package enum SignInState: UInt8, Sendable {
    case signedIn = 1
    /// The tombstone a per-client sign-out leaves; it wins over any stored token.
    case signedOut = 2
  }

  /// A request that is not to be sent again for a while.
  package struct ThrottleEntry: Hashable, Sendable {
    /// A digest of the request.
    package var request: [UInt8]
    package var until: Timestamp
    /// The provider's error code.
    package var code: String
    /// What the provider wants the user to do; empty where the throttle entry is for its own sake.
    package var suberror: String

    package init(request: [UInt8], until: Timestamp, code: String, suberror: String) {
      self.request = request
      self.until = until
      self.code = code
      self.suberror = suberror
    }
  }

  /// A credential and where its secret stands.
  package struct Stored: Hashable, Sendable {
    package var credential: Credential
    /// The row of the secret.
    var row: Int64
    /// The GCM tag of that row: an older version of the row is not taken for this one.
    var seal: [UInt8]
  }

  package let homeAccountID: String
  package let environment: String
  package let authorityType: AuthorityType
  package let orphanClient: String
  package var alias = ""
  package var profiles: [Profile] = []
  /// By client id, folded.
  package var clients: [String: SignInState] = [:]
  package internal(set) var stored: [Stored] = []
  /// By client id, folded: the authority that signed it in.
  package var authorities: [String: String] = [:]
  /// What providers asked to be left alone with, and until when.
  package var throttleEntries: [ThrottleEntry] = []

  package init(
    homeAccountID: String, environment: String, authorityType: AuthorityType,
    orphanClient: String = ""
  ) {
    self.homeAccountID = homeAccountID
    self.environment = environment
    self.authorityType = authorityType
    self.orphanClient = orphanClient
  }

  package var identity: AccountIdentity {
    AccountIdentity(
      homeAccountID: HomeAccountID(homeAccountID), environment: environment,
      authorityType: authorityType, orphanClient: orphanClient)
  }

  /// The name in the home tenant, else the first that any tenant knows.
  package var username: String {
    let home = HomeAccountID(homeAccountID)
    let inHome = profiles.first {
      CaseFolding.equal(home.tenant(ofRealm: $0.tenantID), home.tenantID) && !$0.username.isEmpty
    }
    return (inHome ?? profiles.first { !$0.username.isEmpty })?.username ?? ""
  }

  /// The names by which a person or a tool asks for the account, folded, without repeats.
  package var names: Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for name in [alias, homeAccountID] + profiles.map(\.username) where !name.isEmpty {
      names.insert(CaseFolding.fold(name))
    }
    return names
  }
}

extension AccountRecord {
  /// Version 2 adds what signing in leaves; a account record that has nothing of it stays at version 1.
  private var version: UInt64 { authorities.isEmpty && throttleEntries.isEmpty ? 1 : 2 }

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.number(version)
    for text in [homeAccountID, environment, authorityType.description, orphanClient, alias] {
      writer.text(text)
    }
    writer.list(profiles) { writer, profile in
      for text in [
        profile.tenantID, profile.localAccountID, profile.username, profile.environment,
      ] { writer.text(text) }
      writer.data(profile.claimsJSON)
      writer.data(profile.extraJSON)
    }
    writer.list(clients.sorted { $0.key < $1.key }) { writer, client in
      writer.text(client.key)
      writer.number(UInt64(client.value.rawValue))
    }
    writer.list(stored) { writer, stored in
      stored.credential.encode(into: &writer)
      writer.signed(stored.row)
      writer.data(stored.seal)
    }
    guard version > 1 else { return writer.bytes }
    writer.list(authorities.sorted { $0.key < $1.key }) { writer, authority in
      writer.text(authority.key)
      writer.text(authority.value)
    }
    writer.list(throttleEntries) { writer, throttle in
      writer.data(throttle.request)
      writer.signed(throttle.until.epochSeconds)
      writer.text(throttle.code)
      writer.text(throttle.suberror)
    }
    return writer.bytes
  }

  init(encoded bytes: [UInt8]) throws(StoreError) {
    var reader = ByteReader(bytes)
    let version = try reader.number()
    guard (1...2).contains(version) else { throw .damaged(rows: nil) }
    homeAccountID = try reader.text()
    environment = try reader.text()
    authorityType = AuthorityType(cacheText: try reader.text(), environment: environment)
    orphanClient = try reader.text()
    alias = try reader.text()
    profiles = try reader.list { reader throws(StoreError) in
      Profile(
        tenantID: try reader.text(), localAccountID: try reader.text(),
        username: try reader.text(), environment: try reader.text(),
        claimsJSON: try reader.data(), extraJSON: try reader.data())
    }
    for (client, state) in try reader.list({ reader throws(StoreError) in
      (try reader.text(), try reader.number())
    }) {
      guard let state = UInt8(exactly: state).flatMap(SignInState.init(rawValue:)) else {
        throw .damaged(rows: nil)
      }
      clients[client] = state
    }
    stored = try reader.list { reader throws(StoreError) in
      Stored(
        credential: try Credential(from: &reader), row: try reader.signed(),
        seal: try reader.data())
    }
    if version > 1 { try readSignIn(from: &reader) }
    try reader.end()
  }
}

extension AccountRecord {
  private mutating func readSignIn(from reader: inout ByteReader) throws(StoreError) {
    for (client, authority) in try reader.list({ reader throws(StoreError) in
      (try reader.text(), try reader.text())
    }) {
      authorities[client] = authority
    }
    throttleEntries = try reader.list { reader throws(StoreError) in
      ThrottleEntry(
        request: try reader.data(), until: Timestamp(epochSeconds: try reader.signed()),
        code: try reader.text(), suberror: try reader.text())
    }
    // One value, one encoding.
    guard version == 2 else { throw .damaged(rows: nil) }
  }
}

extension Credential {
  func encode(into writer: inout ByteWriter) {
    encodeIdentity(into: &writer)
    for time in [cachedAt, expiresOn, extendedExpiresOn, refreshOn, lastModified] {
      writer.list(time.map { [$0] } ?? []) { $0.signed($1.epochSeconds) }
    }
  }

  /// What tells a credential from the account's others; the record's tag is made from it.
  func encodeIdentity(into writer: inout ByteWriter) {
    for text in [
      kind.word, clientID, environment, realm, target, tokenType, familyID, keyID,
      requestedClaims, userAssertionHash,
    ] { writer.text(text) }
  }

  init(from reader: inout ByteReader) throws(StoreError) {
    let kind = Kind(word: try reader.text())
    self.init(kind: kind, clientID: try reader.text(), environment: try reader.text())
    realm = try reader.text()
    target = try reader.text()
    tokenType = try reader.text()
    familyID = try reader.text()
    keyID = try reader.text()
    requestedClaims = try reader.text()
    userAssertionHash = try reader.text()
    cachedAt = try Self.time(from: &reader)
    expiresOn = try Self.time(from: &reader)
    extendedExpiresOn = try Self.time(from: &reader)
    refreshOn = try Self.time(from: &reader)
    lastModified = try Self.time(from: &reader)
  }

  private static func time(from reader: inout ByteReader) throws(StoreError) -> Timestamp? {
    let times = try reader.list { reader throws(StoreError) in try reader.signed() }
    guard times.count <= 1 else { throw .damaged(rows: nil) }
    return times.first.map(Timestamp.init(epochSeconds:))
  }
}

extension Credential.Kind {
  /// The word of the unified schema's `credential_type`.
  package var word: String {
    switch self {
    case .accessToken: "AccessToken"
    case .refreshToken: "RefreshToken"
    case .idToken: "IdToken"
    case .secret: "Secret"
    case .other(let word): word
    }
  }

  package init(word: String) {
    switch word {
    case "AccessToken": self = .accessToken
    case "RefreshToken": self = .refreshToken
    case "IdToken": self = .idToken
    case "Secret": self = .secret
    default: self = .other(word)
    }
  }
}
