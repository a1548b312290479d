/// Why a token cache, or a file beside it, is refused. It names places and fields, never values.
public enum MSALCacheError: Error, Equatable, Sendable {
  /// The file has more than `limit` bytes; nothing of it was read.
  case tooLarge(limit: Int)
  /// The text is not JSON (RFC 8259) in UTF-8 at this byte.
  case notJSON(at: Int)
  /// Objects and arrays stand more than `limit` deep in each other.
  case tooDeep(limit: Int)
  /// There are more than `limit` values in it.
  case tooMany(limit: Int)
  /// The JSON is something else: no object, or an object without one known member.
  case notACache
  /// A known member holds something else than an object of entities.
  case badMember(Member)
  /// An entity (counted from 0 in the order of the file) cannot be what its member says.
  case badEntity(member: Member, index: Int, field: Field, problem: Problem)
  /// A secret has more than `limit` bytes.
  case secretTooLarge(member: Member, index: Int, limit: Int)
  /// A name holds a NUL, a line break or another control character, or is longer than a name.
  case invalidText(member: Member, index: Int, field: Field)

  /// The members of a cache that are known.
  public enum Member: String, CaseIterable, Sendable {
    case accessToken = "AccessToken"
    case refreshToken = "RefreshToken"
    case idToken = "IdToken"
    case account = "Account"
    case appMetadata = "AppMetadata"
    /// `subscriptions` of azureProfile.json.
    case subscriptions
    /// Any other member. Its name is not repeated: it was chosen by whoever made the file.
    case other = ""
  }

  /// The fields of an entity that are looked at; the raw value is the name in the file.
  public enum Field: String, CaseIterable, Sendable {
    case credentialType = "credential_type"
    case secret
    case homeAccountID = "home_account_id"
    case environment
    case clientID = "client_id"
    case realm
    case target
    case tokenType = "token_type"
    case cachedAt = "cached_at"
    case expiresOn = "expires_on"
    case extendedExpiresOn = "extended_expires_on"
    case refreshOn = "refresh_on"
    case familyID = "family_id"
    case keyID = "key_id"
    case requestedClaims = "requested_claims"
    case userAssertionHash = "user_assertion_hash"
    case lastModificationTime = "last_modification_time"
    case localAccountID = "local_account_id"
    case username
    case authorityType = "authority_type"
    case tenantID = "tenantId"
    case user
    /// The entity as a whole, or the fields of it that are not known.
    case entity = ""
  }

  /// What is wrong with a field.
  public enum Problem: Sendable {
    /// It is not there, and nothing can stand in for it.
    case missing
    /// It is of another JSON type.
    case wrongType
    /// It is no count of seconds since 1970.
    case notATime
  }

  init(_ error: JSONError) {
    switch error {
    case .syntax(let offset): self = .notJSON(at: offset)
    case .tooDeep(let limit): self = .tooDeep(limit: limit)
    case .tooMany(let limit): self = .tooMany(limit: limit)
    }
  }
}
