package import TokenVaultCrypto
package import TokenVaultModel

/// A successful token response (RFC 6749 section 5.1) with fields of the right types.
package struct TokenResponse: Sendable {
  package var accessToken: Redacted<String>
  package var tokenType: String
  /// The lifetime in seconds; 600, as in MSAL, if the response names none.
  package var expiresIn: Int64
  /// Whether the response names the lifetime.
  package var namesLifetime: Bool
  package var extendedExpiresIn: Int64?
  package var refreshIn: Int64?
  package var refreshToken: Redacted<String>?
  /// The lifetime of the refresh token in seconds; nil if the response names none, or no end. It is
  /// no standard field: Microsoft, Google and GitHub call it `refresh_token_expires_in`, and Keycloak
  /// `refresh_expires_in`.
  package var refreshTokenExpiresIn: Int64?
  package var idToken: Redacted<String>?
  /// The granted scopes; nil if they are the requested ones (RFC 6749 section 5.1).
  package var scopes: ScopeSet?
  package var clientInfo: ClientInfo?
  /// The raw text of `client_info`, which MSAL's cache stores.
  package var clientInfoText: String?
  /// `foci`: the family of clients that may use the refresh token; empty for none.
  package var familyID: String

  private static let textLimit = 1 << 19
  /// Ten years. Longer lifetimes are cut, so that adding one to a time cannot overflow.
  private static let longest: Int64 = 315_360_000

  /// Parses a response of the token endpoint.
  /// - Throws: ``SignInError/provider(_:)`` for an error response, ``SignInError/badAnswer(_:)``
  ///   for a malformed one.
  package init(_ response: HTTPResponse) throws(SignInError) {
    let object = try Self.object(response)
    func text(_ name: String) throws(SignInError) -> String? { try Self.text(name, in: object) }
    func secret(_ name: String) throws(SignInError) -> Redacted<String>? {
      try Self.secret(name, in: object)
    }
    func seconds(_ name: String) throws(SignInError) -> Int64? {
      guard let value = object[name], value != .null else { return nil }
      // Microsoft's version 1 endpoints send numbers as strings.
      let literal: String
      switch value {
      case .number(let text), .string(let text): literal = text
      default: throw .badAnswer(.field(name))
      }
      guard let number = Int64(literal), number >= 0 else { throw .badAnswer(.field(name)) }
      return min(number, Self.longest)
    }
    guard let accessToken = try secret("access_token") else {
      throw .badAnswer(.field("access_token"))
    }
    guard let tokenType = try text("token_type") else { throw .badAnswer(.field("token_type")) }
    self.accessToken = accessToken
    self.tokenType = tokenType
    let lifetime = try seconds("expires_in")
    expiresIn = lifetime ?? 600
    namesLifetime = lifetime != nil
    extendedExpiresIn = try seconds("ext_expires_in")
    refreshIn = try seconds("refresh_in")
    refreshToken = try secret("refresh_token")
    // absent is an answer: no request depends on it.
    do {
      let named = try seconds("refresh_token_expires_in") ?? seconds("refresh_expires_in")
      // Keycloak's 0 stands for a token that is not limited.
      refreshTokenExpiresIn = named.flatMap { $0 > 0 ? $0 : nil }
    } catch { refreshTokenExpiresIn = nil }
    idToken = try secret("id_token")
    scopes = try text("scope").map(ScopeSet.init(target:))
    clientInfoText = try text("client_info")
    clientInfo = clientInfoText.flatMap { ClientInfo($0) }
    if clientInfoText != nil, clientInfo == nil { throw .badAnswer(.field("client_info")) }
    familyID = try text("foci") ?? ""
  }

  private static func text(_ name: String, in object: JSONValue) throws(SignInError) -> String? {
    guard let value = object[name], value != .null else { return nil }
    // Tokens are sent in headers and forms, so they must be printable ASCII.
    guard let text = value.text, text.utf8.count <= textLimit,
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f })
    else { throw .badAnswer(.field(name)) }
    // Some providers have no scopes and send an empty text.
    return text.isEmpty ? nil : text
  }

  private static func secret(
    _ name: String, in object: JSONValue
  ) throws(SignInError) -> Redacted<String>? {
    guard let text = try text(name, in: object) else { return nil }
    guard !text.contains(" ") else { throw .badAnswer(.field(name)) }
    return Redacted(text)
  }

  /// The refresh token of a response that may be invalid otherwise; nil if it has none.
  package static func refreshToken(in response: HTTPResponse) -> Redacted<String>? {
    // absent is an answer: an error response contains no token.
    do { return try secret("refresh_token", in: try object(response)) } catch { return nil }
  }

  /// Whether a response names another user than `account`, by claims that are not verified.
  /// False for a response that names no user or cannot be parsed.
  package static func names(
    otherThan account: HomeAccountID, _ authority: Authority, in response: HTTPResponse
  ) -> Bool {
    let answer: TokenResponse
    // absent is an answer: a response that cannot be parsed names no user.
    do { answer = try TokenResponse(response) } catch { return false }
    let claims = answer.idToken.flatMap { IDToken($0.reveal()) }
    guard authority.isMicrosoft else {
      return claims?.subject.map { $0 != account.identifier } ?? false
    }
    if let named = answer.clientInfo?.homeAccountID,
      !CaseFolding.equal(named, account.identifier)
    {
      return true
    }
    guard authority.kind == .entra, let person = claims?.objectID,
      CaseFolding.equal(claims?.tenantID ?? "", account.tenantID)
    else { return false }
    return !CaseFolding.equal(person, account.objectID)
  }

  /// The JSON object of a successful response; an error response is thrown.
  static func object(_ response: HTTPResponse) throws(SignInError) -> JSONValue {
    if (300...399).contains(response.status) { throw .badAnswer(.redirect) }
    let value: JSONValue
    do { value = try JSONValue(parsing: response.body) } catch {
      throw .badAnswer(.notJSON(status: response.status))
    }
    guard value.members != nil else { throw .badAnswer(.notJSON(status: response.status)) }
    // Some providers return errors with status 200.
    if let error = OAuthError(value, status: response.status) { throw .provider(error) }
    guard response.status == 200 else { throw .badAnswer(.notJSON(status: response.status)) }
    return value
  }
}
