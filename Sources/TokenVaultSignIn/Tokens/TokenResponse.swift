package import TokenVaultCrypto
package import TokenVaultModel

/// A token endpoint's answer (RFC 6749 section 5.1), with every field of the type it must have.
package struct TokenResponse: Sendable {
  package var accessToken: Redacted<String>
  package var tokenType: String
  /// Seconds; MSAL's 600 where the answer names none.
  package var expiresIn: Int64
  package var extendedExpiresIn: Int64?
  package var refreshIn: Int64?
  package var refreshToken: Redacted<String>?
  package var idToken: Redacted<String>?
  /// As granted; nil where the provider granted just what was asked for (RFC 6749 section 5.1).
  package var scopes: ScopeSet?
  package var clientInfo: ClientInfo?
  /// The raw text of `client_info`, which MSAL's cache keeps.
  package var clientInfoText: String?
  /// `foci`: the family of clients that may use the refresh token.
  package var familyID: String

  private static let textLimit = 1 << 19
  /// Ten years: what goes beyond is no lifetime, and adding it must not overflow.
  private static let longest: Int64 = 315_360_000

  /// Reads an answer of the token endpoint.
  /// - Throws: ``SignInError/provider(_:)`` for an error answer, ``SignInError/badAnswer(_:)``.
  package init(_ response: HTTPResponse) throws(SignInError) {
    let object = try Self.object(response)
    func text(_ name: String) throws(SignInError) -> String? { try Self.text(name, in: object) }
    func secret(_ name: String) throws(SignInError) -> Redacted<String>? {
      try Self.secret(name, in: object)
    }
    func seconds(_ name: String) throws(SignInError) -> Int64? {
      guard let value = object[name], value != .null else { return nil }
      // Version 1 endpoints of Microsoft send numbers as strings.
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
    expiresIn = try seconds("expires_in") ?? 600
    extendedExpiresIn = try seconds("ext_expires_in")
    refreshIn = try seconds("refresh_in")
    refreshToken = try secret("refresh_token")
    idToken = try secret("id_token")
    scopes = try text("scope").map(ScopeSet.init(target:))
    clientInfoText = try text("client_info")
    clientInfo = clientInfoText.flatMap { ClientInfo($0) }
    if clientInfoText != nil, clientInfo == nil { throw .badAnswer(.field("client_info")) }
    familyID = try text("foci") ?? ""
  }

  private static func text(_ name: String, in object: JSONValue) throws(SignInError) -> String? {
    guard let value = object[name], value != .null else { return nil }
    // Tokens travel in headers and forms: what has spaces or controls in it is none.
    guard let text = value.text, text.utf8.count <= textLimit,
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f })
    else { throw .badAnswer(.field(name)) }
    // Some providers have no scopes, and send an empty text for them.
    return text.isEmpty ? nil : text
  }

  private static func secret(
    _ name: String, in object: JSONValue
  ) throws(SignInError) -> Redacted<String>? {
    guard let text = try text(name, in: object) else { return nil }
    guard !text.contains(" ") else { throw .badAnswer(.field(name)) }
    return Redacted(text)
  }

  /// The refresh token of an answer that may be of no use otherwise; nil where it has none.
  package static func refreshToken(in response: HTTPResponse) -> Redacted<String>? {
    // absent is an answer: an error brings no token
    do { return try secret("refresh_token", in: try object(response)) } catch { return nil }
  }

  /// The JSON object of a successful answer; an error answer is thrown.
  static func object(_ response: HTTPResponse) throws(SignInError) -> JSONValue {
    if (300...399).contains(response.status) { throw .badAnswer(.redirect) }
    let value: JSONValue
    do { value = try JSONValue(parsing: response.body) } catch {
      throw .badAnswer(.notJSON(status: response.status))
    }
    guard value.members != nil else { throw .badAnswer(.notJSON(status: response.status)) }
    // An error is an error, whatever the status: some providers answer 200.
    if let error = OAuthError(value, status: response.status) { throw .provider(error) }
    guard response.status == 200 else { throw .badAnswer(.notJSON(status: response.status)) }
    return value
  }
}

extension OAuthError {
  /// The error of a JSON answer (RFC 6749 section 5.2); nil where there is none.
  init?(_ object: JSONValue, status: Int) {
    guard let code = object["error"]?.text.flatMap(Self.word), !code.isEmpty else { return nil }
    self.init(
      code: code, text: object["error_description"]?.text.map(Self.line) ?? "",
      suberror: object["suberror"]?.text.flatMap(Self.word) ?? "",
      numbers: object["error_codes"]?.elements?.prefix(16).compactMap {
        if case .number(let text) = $0 { Int64(text) } else { nil }
      } ?? [],
      correlationID: object["correlation_id"]?.text.flatMap(Self.word) ?? "",
      claims: object["claims"]?.text ?? "", status: status)
  }

  /// A code is a short word; anything else in its place is not shown to people.
  static func word(_ text: String) -> String? {
    let isWord =
      text.utf8.count <= 128
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") }
    return isWord ? text : nil
  }

  /// The first line of a description, at most 500 characters of it.
  static func line(_ text: String) -> String {
    String(text.prefix { !$0.isNewline }.prefix(500))
  }
}
