import TokenVaultCrypto
import TokenVaultModel

extension Entity {
  func profile() throws(MSALCacheError) -> MSALCache.Profile {
    var profile = MSALCache.Profile(
      homeAccountID: try name(.homeAccountID),
      environment: try requiredName(.environment).lowercased(), realm: try name(.realm),
      localAccountID: try name(.localAccountID), username: try name(.username),
      authorityType: try name(.authorityType), extraJSON: extra(without: MSALCache.profileFields))
    profile.issuer = issuer
    return profile
  }

  func app() throws(MSALCacheError) -> MSALCache.App {
    MSALCache.App(
      clientID: try requiredName(.clientID),
      environment: try requiredName(.environment).lowercased(),
      familyID: try name(.familyID, aliases: Self.familyAliases),
      extraJSON: extra(without: MSALCache.appFields))
  }

  func token() throws(MSALCacheError) -> MSALCache.Token {
    let type = try name(.credentialType)
    let kind: Credential.Kind
    switch (type.isEmpty ? member.rawValue : type).lowercased() {
    case "accesstoken":
      // The token is bound to a hash of request parameters in addition to its scopes (MSAL .NET:
      // `ext`). Served to an ordinary request, it would be the wrong token.
      if self["ext_cache_key"] != nil || self["ext"] != nil { return try foreign(type: "atext") }
      // The token is for one resource (managed identity), or for one of several applications that
      // share a client. No field of a request distinguishes it from its siblings.
      if Self.siblingFields.contains(where: { self[$0] != nil }) {
        return try foreign(type: "AccessToken")
      }
      kind = .accessToken
    case "refreshtoken", "familyrefreshtoken": kind = .refreshToken
    case "idtoken": kind = .idToken
    default: return try foreign(type: type)
    }

    var credential = Credential(
      kind: kind, clientID: try name(.clientID),
      environment: try requiredName(.environment).lowercased())
    credential.familyID = try name(.familyID, aliases: Self.familyAliases)
    // MSAL for iOS and macOS has a separate type for the one refresh token of a family.
    if type.lowercased() == "familyrefreshtoken", credential.familyID.isEmpty {
      credential.familyID = "1"
    }
    guard !credential.clientID.isEmpty || !credential.familyID.isEmpty else {
      throw refusal(.clientID, .missing)
    }
    credential.realm = try name(.realm)
    credential.target = try name(.target)
    credential.tokenType = try name(.tokenType, aliases: ["access_token_type", "tokenType"])
    credential.cachedAt = try time(.cachedAt)
    credential.expiresOn = try time(.expiresOn)
    credential.extendedExpiresOn = try time(.extendedExpiresOn, aliases: ["ext_expires_on"])
    credential.refreshOn = try time(.refreshOn, aliases: ["refresh_in"])
    credential.keyID = try name(.keyID, aliases: ["kid", "keyid", "keyId"])
    credential.requestedClaims = try text(.requestedClaims, aliases: ["requestedClaims"])
    credential.userAssertionHash = try name(.userAssertionHash, aliases: ["userAssertionHash"])
    credential.lastModified = try time(.lastModificationTime)
    let secret = try secret()
    guard !secret.isEmpty else { throw refusal(.secret, .missing) }
    var token = MSALCache.Token(
      credential: credential, homeAccountID: try name(.homeAccountID), secret: Redacted(secret),
      extraJSON: extra(without: MSALCache.tokenFields))
    token.issuer = issuer
    return token
  }

  /// The issuer that an export names where no ID token does; empty for none. Whether to believe it is
  /// up to ``AccountBundle``.
  private var issuer: String { AccountIdentity.bare(self[MSALCache.issuerField]?.text ?? "") }

  /// A field of an entity that is kept as it is; "" if it is no valid name.
  func plainName(_ field: Field) -> String {
    // absent is an answer: the field may have another meaning.
    do { return try name(field) } catch { return "" }
  }

  /// The entity as a credential that is kept but never served.
  /// - Throws: ``MSALCacheError/secretTooLarge(member:index:limit:)``.
  func foreign(
    type: String, member memberName: String? = nil
  ) throws(MSALCacheError) -> MSALCache.Token {
    var credential = Credential(
      kind: .other(type), clientID: plainName(.clientID),
      environment: plainName(.environment).lowercased())
    credential.realm = plainName(.realm)
    credential.target = plainName(.target)
    let secret = self[Field.secret.rawValue]?.text == nil ? "" : try secret()
    let wrapped = JSONValue.object([
      .init(
        "entity", .object(fields.filter { secret.isEmpty || $0.name != Field.secret.rawValue })),
      .init("key", .string(key)),
      .init("member", .string(memberName ?? member.rawValue)),
    ])
    return MSALCache.Token(
      credential: credential, homeAccountID: plainName(.homeAccountID),
      secret: Redacted(secret), extraJSON: wrapped.bytes)
  }

  /// The values that are equal in two versions of the same token.
  func identity(of token: MSALCache.Token) -> [String] {
    let credential = token.credential
    let kind: String
    switch credential.kind {
    case .other: return ["other", member.rawValue, key]
    case .accessToken: kind = "access"
    case .refreshToken: kind = "refresh"
    case .idToken: kind = "id"
    case .secret: kind = "secret"
    case .proofKey: kind = "key"
    }
    return [
      kind, token.homeAccountID, credential.environment, credential.clientID.lowercased(),
      credential.realm.lowercased(), credential.familyID,
      // A refresh token is valid for all scopes, so its target distinguishes nothing.
      kind == "access" ? ScopeSet(target: credential.target.lowercased()).sortedForKey : "",
      credential.effectiveTokenType, credential.keyID, credential.requestedClaims,
      credential.userAssertionHash, token.issuer,
    ]
      + Self.siblingFields.map { self[$0]?.text ?? "" }
  }

  /// The fields that distinguish managed identities (Go) and applications that share a client (ObjC,
  /// Android).
  private static let siblingFields = [
    "resource", "application_cache_identifier", "application_identifier",
  ]
}

extension MSALCache {
  /// The field of an account or token whose provider has no ID tokens. MSAL ignores it.
  static let issuerField = "tokenvault_issuer"

  static let profileFields = names([
    .homeAccountID, .environment, .realm, .localAccountID, .username, .authorityType,
  ])
  static let appFields = names([.clientID, .environment, .familyID])
  static let tokenFields = names([
    .credentialType, .secret, .homeAccountID, .environment, .clientID, .realm, .target, .tokenType,
    .cachedAt, .expiresOn, .extendedExpiresOn, .refreshOn, .familyID, .keyID, .requestedClaims,
    .userAssertionHash, .lastModificationTime,
  ])

  private static func names(_ fields: [Field]) -> Set<String> {
    Set(fields.map(\.rawValue) + [issuerField])
  }
}

extension ScopeSet {
  /// The scopes in the order that MSAL Python uses in a key.
  var sortedForKey: String { scopes.sorted { $0.precedesInBytes($1) }.joined(separator: " ") }
}
