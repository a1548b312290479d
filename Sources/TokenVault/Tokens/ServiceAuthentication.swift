import TokenVaultCrypto

/// The form in which a stored secret is sent to its service.
package enum ServiceAuthentication: String, CaseIterable, Sendable {
  /// The user name and the secret (RFC 7617).
  case basic
  /// The secret alone (RFC 6750 section 2.1).
  case bearer

  /// The name of the authentication scheme.
  var scheme: String { self == .basic ? "Basic" : "Bearer" }

  /// The form that was stored with a secret; nil for none.
  init?(scheme: String) {
    guard let form = Self.allCases.first(where: { $0.scheme == scheme }) else { return nil }
    self = form
  }

  /// The form for a secret that was stored without one: Bearer for a token of GitHub or GitLab, or a
  /// JSON Web Token, which show what they are; Basic for any other.
  init(suiting secret: [UInt8]) {
    let isToken = Self.tokenPrefixes.contains { secret.starts(with: $0.utf8) }
    let isWebToken =
      secret.starts(with: "eyJ".utf8) && secret.filter { $0 == UInt8(ascii: ".") }.count == 2
    self = isToken || isWebToken ? .bearer : .basic
  }

  private static let tokenPrefixes = [
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-",
  ]

  /// The value of the Authorization field; nil if the form cannot carry the name or the secret.
  func header(username: String, _ secret: Redacted<[UInt8]>) -> Redacted<String>? {
    let bytes = secret.reveal()
    switch self {
    case .basic:
      // The first colon ends the user name.
      guard !username.contains(":") else { return nil }
      return Redacted("Basic " + Self.base64(Array("\(username):".utf8) + bytes))
    case .bearer:
      // The field may contain visible characters of ASCII, and no line end that would begin another.
      guard bytes.allSatisfy({ (0x21..<0x7f).contains($0) }) else { return nil }
      return Redacted("Bearer " + String(decoding: bytes, as: UTF8.self))
    }
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
  }
}
