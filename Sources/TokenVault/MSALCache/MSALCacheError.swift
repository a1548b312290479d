/// The reason why a token cache, or a file beside it, is refused. It names positions and fields,
/// never values.
public enum MSALCacheError: Error, Equatable, Sendable {
  /// The file has more than `limit` bytes, and nothing of it was read.
  case tooLarge(limit: Int)
  /// The text is not JSON (RFC 8259) in UTF-8 at this byte offset.
  case notJSON(at: Int)
  /// Objects and arrays are nested more than `limit` deep.
  case tooDeep(limit: Int)
  /// The file has more than `limit` values.
  case tooMany(limit: Int)
  /// The JSON is not a cache: it is not an object, or an object without any known member.
  case notACache
  /// A known member is not an object of entities.
  case badMember(Member)
  /// An entity (counted from 0 in the order of the file) does not have the form that its member
  /// requires.
  case badEntity(member: Member, index: Int, field: Field, problem: Problem)
  /// A secret has more than `limit` bytes.
  case secretTooLarge(member: Member, index: Int, limit: Int)
  /// A name contains a NUL, a line break or another control character, or is longer than the limit
  /// for names.
  case invalidText(member: Member, index: Int, field: Field)

  /// The known members of a cache.
  public enum Member: String, CaseIterable, Sendable {
    case accessToken = "AccessToken"
    case refreshToken = "RefreshToken"
    case idToken = "IdToken"
    case account = "Account"
    case appMetadata = "AppMetadata"
    /// The member `subscriptions` of azureProfile.json.
    case subscriptions
    /// Any other member. Its name is not repeated, because the author of the file chose it.
    case other = ""
  }

  /// The fields of an entity that are read; the raw value is the name in the file.
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
    /// The entity as a whole, or its unknown fields.
    case entity = ""
  }

  /// The defect of a field.
  public enum Problem: Sendable {
    /// The field is missing and has no default.
    case missing
    /// The field has the wrong JSON type.
    case wrongType
    /// The field is not a number of seconds since 1970.
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
