import TokenVaultModel

/// A claims request (OIDC Core section 5.5): what the provider should put into which token. A
/// request with one is never answered from the cache.
public struct ClaimsRequest: Hashable, Sendable {
  /// The token that a claim should be in.
  public enum Target: String, Hashable, Sendable, CaseIterable {
    case idToken = "id_token"
    case accessToken = "access_token"
  }

  /// One claim that is asked for.
  public struct Claim: Hashable, Sendable {
    /// The claim's name.
    public var name: String
    /// Whether the provider should go to some lengths for it.
    public var isEssential: Bool?
    /// The value that it should have.
    public var value: String?
    /// The values that it should have one of.
    public var values: [String]

    /// A claim with the parts given.
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

  /// A request for nothing.
  public init() { document = .object([]) }

  /// Reads a request, as a claims challenge or `--claims` gives it.
  /// - Throws: ``SignInError/invalidRequest(_:)`` for anything but a JSON object of objects.
  public init(json: String) throws(SignInError) {
    do { document = try JSONValue(parsing: Array(json.utf8)) } catch {
      throw .invalidRequest(.claims)
    }
    guard json.utf8.count <= 32 << 10, let members = document.members,
      members.allSatisfy({ $0.value.members != nil })
    else { throw .invalidRequest(.claims) }
  }

  /// The request as JSON; equal requests, equal text.
  public var json: String { String(decoding: document.bytes, as: UTF8.self) }

  /// Whether the same is asked for, in whatever order.
  public static func == (left: Self, right: Self) -> Bool {
    left.document.bytes == right.document.bytes
  }

  /// Hashes what is asked for.
  public func hash(into hasher: inout Hasher) { hasher.combine(document.bytes) }

  /// Whether nothing is asked for.
  public var isEmpty: Bool { document.members?.isEmpty ?? true }

  /// The claims asked for in a token.
  public func claims(in target: Target) -> [Claim] {
    document[target.rawValue]?.members?.map { member in
      var claim = Claim(member.name)
      if case .bool(let flag)? = member.value["essential"] { claim.isEssential = flag }
      claim.value = member.value["value"]?.text
      claim.values = member.value["values"]?.elements?.compactMap(\.text) ?? []
      return claim
    } ?? []
  }

  /// Asks for a claim, in the place of what was asked of it before.
  public mutating func request(_ claim: Claim, in target: Target) {
    var wish: [JSONValue.Member] = []
    if let flag = claim.isEssential { wish.append(.init("essential", .bool(flag))) }
    if let value = claim.value { wish.append(.init("value", .string(value))) }
    if !claim.values.isEmpty {
      wish.append(.init("values", .array(claim.values.map(JSONValue.string))))
    }
    set(claim.name, wish.isEmpty ? .null : .object(wish), in: target)
  }

  /// Asks for a claim no more.
  public mutating func remove(_ name: String, from target: Target) { set(name, nil, in: target) }

  private mutating func set(_ name: String, _ value: JSONValue?, in target: Target) {
    var wishes = document[target.rawValue]?.members ?? []
    wishes.removeAll { $0.name == name }
    if let value { wishes.append(.init(name, value)) }
    var members = document.members ?? []
    members.removeAll { $0.name == target.rawValue }
    if !wishes.isEmpty { members.append(.init(target.rawValue, .object(wishes))) }
    document = .object(members)
  }

  /// The request together with what the application can handle, as Microsoft Entra is told it
  /// (`xms_cc`); nil where there is nothing to say.
  static func merged(_ request: ClaimsRequest?, capabilities: [String]) -> String? {
    var merged = request ?? ClaimsRequest()
    if !capabilities.isEmpty {
      merged.request(Claim("xms_cc", values: capabilities), in: .accessToken)
    }
    return merged.isEmpty ? nil : merged.json
  }
}
