import TokenVaultModel

/// A claims request (OIDC Core section 5.5): the claims that the provider should put into each
/// token. A token request with claims is never answered from the cache.
public struct ClaimsRequest: Hashable, Sendable {
  /// The token that a claim is requested for.
  public enum Target: String, Hashable, Sendable, CaseIterable {
    case idToken = "id_token"
    case accessToken = "access_token"
  }

  /// A requested claim.
  public struct Claim: Hashable, Sendable {
    /// The claim's name.
    public var name: String
    /// Whether the claim is essential, and not voluntary.
    public var isEssential: Bool?
    /// The requested value.
    public var value: String?
    /// The acceptable values.
    public var values: [String]

    /// A claim with the given parts.
    public init(
      _ name: String, isEssential: Bool? = nil, value: String? = nil, values: [String] = []
    ) {
      self.name = name
      self.isEssential = isEssential
      self.value = value
      self.values = values
    }
  }

  private var document: JSONValue

  /// A request for no claims.
  public init() { document = .object([]) }

  /// Parses a request, as it appears in a claims challenge or after `--claims`.
  /// - Throws: ``SignInError/invalidRequest(_:)`` unless it is a JSON object of objects, of at most
  ///   32 KiB.
  public init(json: String) throws(SignInError) {
    do { document = try JSONValue(parsing: Array(json.utf8)) } catch {
      throw .invalidRequest(.claims)
    }
    guard json.utf8.count <= 32 << 10, let members = document.members,
      members.allSatisfy({ $0.value.members != nil })
    else { throw .invalidRequest(.claims) }
  }

  /// The request as JSON. Equal requests have equal text.
  public var json: String { String(decoding: document.bytes, as: UTF8.self) }

  /// Whether two requests ask for the same claims, in any order.
  public static func == (left: Self, right: Self) -> Bool {
    left.document.bytes == right.document.bytes
  }

  /// Hashes the requested claims.
  public func hash(into hasher: inout Hasher) { hasher.combine(document.bytes) }

  /// Whether no claims are requested.
  public var isEmpty: Bool { document.members?.isEmpty ?? true }

  /// The claims requested for a token.
  public func claims(in target: Target) -> [Claim] {
    document[target.rawValue]?.members?.map { member in
      var claim = Claim(member.name)
      if case .bool(let flag)? = member.value["essential"] { claim.isEssential = flag }
      claim.value = member.value["value"]?.text
      claim.values = member.value["values"]?.elements?.compactMap(\.text) ?? []
      return claim
    } ?? []
  }

  /// Requests a claim. An earlier request for the same claim is replaced.
  public mutating func request(_ claim: Claim, in target: Target) {
    var details: [JSONValue.Member] = []
    if let flag = claim.isEssential { details.append(.init("essential", .bool(flag))) }
    if let value = claim.value { details.append(.init("value", .string(value))) }
    if !claim.values.isEmpty {
      details.append(.init("values", .array(claim.values.map(JSONValue.string))))
    }
    set(claim.name, details.isEmpty ? .null : .object(details), in: target)
  }

  /// Removes a claim from the request.
  public mutating func remove(_ name: String, from target: Target) { set(name, nil, in: target) }

  private mutating func set(_ name: String, _ value: JSONValue?, in target: Target) {
    var claims = document[target.rawValue]?.members ?? []
    claims.removeAll { $0.name == name }
    if let value { claims.append(.init(name, value)) }
    var members = document.members ?? []
    members.removeAll { $0.name == target.rawValue }
    if !claims.isEmpty { members.append(.init(target.rawValue, .object(claims))) }
    document = .object(members)
  }

  /// The request with the application's capabilities in Microsoft Entra's form (`xms_cc`); nil if
  /// there are neither claims nor capabilities.
  static func merged(_ request: ClaimsRequest?, capabilities: [String]) -> String? {
    var merged = request ?? ClaimsRequest()
    if !capabilities.isEmpty {
      merged.request(Claim("xms_cc", values: capabilities), in: .accessToken)
    }
    return merged.isEmpty ? nil : merged.json
  }
}
