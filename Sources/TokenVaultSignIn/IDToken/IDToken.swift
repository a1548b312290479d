import TokenVaultCrypto
import TokenVaultModel

/// The claims of an ID token, decoded but not verified.
///
/// For tokens out of a cache, which whoever filled it checked when it came; nothing that decides
/// about access may rest on claims that came another way.
public struct IDToken: Hashable, Sendable {
  /// The claims as the issuer wrote them: one JSON object.
  public let claimsJSON: [UInt8]
  private let claims: JSONValue

  /// Decodes a JWS in compact form (RFC 7515 section 7.1), signed or not; nil for anything else.
  public init?(_ token: String) {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard token.utf8.count <= 1 << 20, parts.count == 3,
      let payload = Base64URL.decodePadded(String(parts[1]) ?? "")
    else { return nil }
    self.init(claimsJSON: payload)
  }

  /// Reads claims that were decoded before; nil when they are not a JSON object.
  public init?(claimsJSON: [UInt8]) {
    guard let claims = JSONValue.object(in: claimsJSON) else { return nil }
    self.claimsJSON = claimsJSON
    self.claims = claims
  }

  /// `oid`: the person in the tenant.
  public var objectID: String? { text("oid") }
  /// `sub`: the person, for this client.
  public var subject: String? { text("sub") }
  /// `tid`: the tenant.
  public var tenantID: String? { text("tid") }
  /// `preferred_username`.
  public var preferredUsername: String? { text("preferred_username") }
  /// `upn`: the user name in AD FS and version 1 tokens.
  public var upn: String? { text("upn") }
  /// `name`: how the person is called.
  public var name: String? { text("name") }
  /// `iss`: who says all this.
  public var issuer: String? { text("iss") }
  /// `aud`: the clients it was said to, whether it came as a text or as an array.
  public var audience: [String] {
    text("aud").map { [$0] } ?? claims["aud"]?.elements?.compactMap(\.text) ?? []
  }
  /// `nonce`.
  public var nonce: String? { text("nonce") }
  /// `acr`, else `tfp`: where B2C names the policy.
  public var policy: String? { text("tfp") ?? text("acr") }
  /// MSAL's user name: `preferred_username`, else `upn`.
  public var username: String? { preferredUsername ?? upn }
  /// MSAL's local account id: `oid`, else `sub`.
  public var localAccountID: String? { objectID ?? subject }

  /// A claim of any type; nil where it is missing or null.
  func claim(_ name: String) -> JSONValue? {
    claims[name].flatMap { $0 == .null ? nil : $0 }
  }

  /// A claim that is a text; nil for others, and for a text with control characters, which is no
  /// name to show to people.
  public func text(_ claim: String) -> String? {
    claims[claim]?.text.flatMap { $0.isEmpty || $0.hasControlCharacters ? nil : $0 }
  }
}

/// Microsoft's `client_info`: who signed in, where they come from.
public struct ClientInfo: Hashable, Sendable {
  /// The object id in the home tenant (in B2C with the policy behind it).
  public let objectID: String
  /// The home tenant.
  public let tenantID: String

  /// Decodes base64url of a JSON object with `uid` and `utid`; nil for anything else.
  public init?(_ text: String) {
    guard text.utf8.count <= 64 << 10, let bytes = Base64URL.decodePadded(text),
      let info = JSONValue.object(in: bytes), let objectID = info["uid"]?.text,
      let tenantID = info["utid"]?.text, !objectID.isEmpty, !tenantID.isEmpty,
      !objectID.hasControlCharacters, !tenantID.hasControlCharacters
    else { return nil }
    self.objectID = objectID
    self.tenantID = tenantID
  }

  /// The home account id.
  public var homeAccountID: String { "\(objectID).\(tenantID)" }
}

extension JSONValue {
  /// The JSON object that the bytes are; nil when they are not one.
  fileprivate static func object(in bytes: [UInt8]) -> JSONValue? {
    do {
      let value = try JSONValue(parsing: bytes)
      return value.members == nil ? nil : value
    } catch {
      return nil
    }
  }
}

extension Base64URL {
  /// Some issuers pad, although RFC 7515 says not to.
  fileprivate static func decodePadded(_ text: String) -> [UInt8]? {
    decode(String(text.prefix { $0 != "=" }))
  }
}
