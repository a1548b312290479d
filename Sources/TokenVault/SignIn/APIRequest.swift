public import TokenVaultSignIn
import TokenVaultCrypto
public import TokenVaultModel

/// A request to an API with an account's token.
public struct APIRequest: Sendable {
  /// The method, in upper case.
  public let method: String
  /// The URL, which is the only place that the token is sent to.
  public let address: HTTPURL
  /// The header fields that were added.
  public private(set) var headers: [(name: String, value: String)] = []
  /// The body; nil for none.
  public var body: [UInt8]?
  /// The scopes that the token must have; empty for a token for the origin of the URL.
  public var scopes: ScopeSet {
    get { token.scopes }
    set { token.scopes = newValue }
  }
  /// Whether the token is bound to a key of the application, and the request signed with it (proof of
  /// possession). The API has to support this, as MSAL's `MSALAuthenticationSchemePop` requires, and
  /// the method must be one of ``ProofOfPossession/HTTPMethod``.
  public var isBound: Bool {
    get { silent.isBound }
    set { silent.isBound = newValue }
  }
  /// The token to send; without scopes and resource, one for the origin of the URL.
  package var token = TokenRequest(scopes: ScopeSet([]))
  package var silent = SilentOptions()
  /// The time limit of each exchange with the API.
  package var deadlineMilliseconds = 120_000
  /// The form in which a stored secret is sent; nil for the one that it was stored with.
  package var authentication: ServiceAuthentication?

  /// The fields that carry credentials or frame the message, in lower case.
  package static let ownFields = [
    "authorization", "proxy-authorization", "host", "content-length", "transfer-encoding",
    "connection", "cookie",
  ]
  /// The size of the largest response: 64 MiB.
  static let answerLimit = 64 << 20
  /// The largest number of pages of a collection.
  static let pageLimit = 1000

  /// A request without a body.
  ///
  /// ```swift
  /// var request = try APIRequest("GET", "https://graph.microsoft.com/v1.0/me")
  /// request.scopes = "User.Read"
  /// try request.add(header: "Accept-Language: en")
  /// let response = try await app.call(request, for: account)
  /// ```
  ///
  /// - Parameters:
  ///   - method: The method, of at most 32 letters; it is sent in upper case.
  ///   - url: The URL.
  /// - Throws: ``SignInError/invalidRequest(_:)`` if the method is not a word of letters, or the
  ///   URL is not an http or https URL; ``SignInError/transport(_:)`` with `notConfidential` if the
  ///   token could be read on its way to the host.
  public init(_ method: String, _ url: String) throws(SignInError) {
    guard !method.isEmpty, method.utf8.count <= 32,
      method.utf8.allSatisfy({ (0x61...0x7a).contains($0 | 0x20) })
    else { throw .invalidRequest(.method) }
    guard let address = HTTPURL(url) else { throw .invalidRequest(.url) }
    guard address.isConfidential else { throw .transport(.notConfidential(host: address.host)) }
    self.method = method.uppercased()
    self.address = address
  }

  /// Adds a header field, written as `Name: value`.
  /// - Parameter line: The field, without a line break.
  /// - Throws: ``SignInError/invalidRequest(_:)`` for any other form, and for the fields that carry
  ///   credentials or frame the message (such as Authorization, Host, Cookie and Content-Length):
  ///   no other token than the account's is sent.
  public mutating func add(header line: String) throws(SignInError) {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw .invalidRequest(.header) }
    let name = String(parts[0])
    let value = String(parts[1].drop { $0 == " " })
    guard !name.isEmpty, !Self.ownFields.contains(name.lowercased()),
      name.utf8.allSatisfy({
        (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) || "-_".utf8.contains($0)
      }), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
    else { throw .invalidRequest(.header) }
    headers.append((name, value))
  }

  func has(header name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }
}
