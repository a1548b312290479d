package import TokenVaultModel

extension Credential {
  func encode(into writer: inout ByteWriter) {
    encodeIdentity(into: &writer)
    for time in [cachedAt, expiresOn, extendedExpiresOn, refreshOn, lastModified] {
      writer.list(time.map { [$0] } ?? []) { $0.signed($1.epochSeconds) }
    }
  }

  /// Encodes the fields that distinguish a credential from the account's other credentials. The tag
  /// of the secret's row is computed from them.
  func encodeIdentity(into writer: inout ByteWriter) {
    for text in [
      kind.word, clientID, environment, realm, target, tokenType, familyID, keyID,
      requestedClaims, userAssertionHash,
    ] { writer.text(text) }
  }

  /// - Parameter usual: the environment of the account, which is that of most of its credentials.
  init(from reader: inout ByteReader, at usual: String) throws(StoreError) {
    let kind = Kind(word: try reader.text())
    self.init(
      kind: kind, clientID: try reader.text(), environment: try reader.text(like: usual))
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
    // A list of at most one, read without an array.
    switch try reader.number() {
    case 0: return nil
    case 1: return Timestamp(epochSeconds: try reader.signed())
    default: throw .damaged(rows: nil)
    }
  }
}

extension Credential.Kind {
  /// The value of `credential_type` in MSAL's unified cache schema.
  package var word: String {
    switch self {
    case .accessToken: "AccessToken"
    case .refreshToken: "RefreshToken"
    case .idToken: "IdToken"
    case .secret: "Secret"
    case .proofKey: "ProofKey"
    case .other(let word): word
    }
  }

  package init(word: String) {
    switch word {
    case "AccessToken": self = .accessToken
    case "RefreshToken": self = .refreshToken
    case "IdToken": self = .idToken
    case "Secret": self = .secret
    case "ProofKey": self = .proofKey
    default: self = .other(word)
    }
  }
}
