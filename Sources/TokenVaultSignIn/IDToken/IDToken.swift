import TokenVaultCrypto
import TokenVaultModel

/// The claims of an ID token, decoded but not verified.
///
/// Tokens in the vault were validated when they arrived. Never base a decision about access on
/// claims from another source.
public struct IDToken: Hashable, Sendable {
  /// The claims as the issuer wrote them, as one JSON object.
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

  /// Parses decoded claims; nil unless they are a JSON object.
  public init?(claimsJSON: [UInt8]) {
    guard let claims = JSONValue.object(in: claimsJSON) else { return nil }
    self.claimsJSON = claimsJSON
    self.claims = claims
  }

  /// `oid`: the user in the tenant.
  public var objectID: String? { text("oid") }
  /// `sub`: the user, as this client sees them.
  public var subject: String? { text("sub") }
  /// `tid`: the tenant.
  public var tenantID: String? { text("tid") }
  /// `preferred_username`.
  public var preferredUsername: String? { text("preferred_username") }
  /// `upn`: the user name in AD FS and version 1 tokens.
  public var upn: String? { text("upn") }
  /// `name`: the user's display name.
  public var name: String? { text("name") }
  /// `iss`: the issuer.
  public var issuer: String? { text("iss") }
  /// `aud`: the clients that the token is for; one text and an array are both read.
  public var audience: [String] {
    text("aud").map { [$0] } ?? claims["aud"]?.elements?.compactMap(\.text) ?? []
  }
  /// `nonce`.
  public var nonce: String? { text("nonce") }
  /// `tfp`, else `acr`: the policy, in B2C.
  public var policy: String? { text("tfp") ?? text("acr") }
  /// MSAL's user name: `preferred_username`, else `upn`.
  public var username: String? { preferredUsername ?? upn }
  /// MSAL's local account id: `oid`, else `sub`.
  public var localAccountID: String? { objectID ?? subject }

  /// A claim of any type; nil if it is missing or null.
  func claim(_ name: String) -> JSONValue? {
    claims[name].flatMap { $0 == .null ? nil : $0 }
  }

  /// A claim that is a text; nil for any other, and for an empty text or one with control
  /// characters, which must not reach a terminal.
  public func text(_ claim: String) -> String? {
    claims[claim]?.text.flatMap { $0.isEmpty || $0.hasControlCharacters ? nil : $0 }
  }
}
