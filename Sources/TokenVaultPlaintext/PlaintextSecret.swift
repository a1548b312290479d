package import TokenVaultCrypto
package import TokenVaultModel

/// A secret that a file of another tool contains in plaintext.
package struct PlaintextSecret: Sendable {
  package enum Kind: String, Sendable {
    case password
    case token
    case accessToken = "access token"
    case refreshToken = "refresh token"
    case privateKey = "private key"
    case secretKey = "secret key"
    case clientSecret = "client secret"
    /// The access and refresh tokens of an account.
    case tokens
    /// A database or a cache whose content is not read.
    case database
  }

  package let kind: Kind
  /// The names of the sections and members in which it stands, or its line. Never a value.
  package let place: String
  /// The user name that belongs to it; nil if the file does not tell, or if the name looks like a token,
  /// as in `https://TOKEN:x-oauth-basic@github.com`.
  package var username: String? {
    didSet { if username.map(Self.looksLikeToken) == true { username = nil } }
  }
  /// The URL that it is sent to, without user information and query; nil if the file does not tell, or
  /// if it is not certain where the user information ends.
  package var service: String? {
    didSet { service = service.flatMap(Self.bare) }
  }
  /// The form in which a vault stores the secret; nil if the vault has no use for it.
  package var secret: Redacted<[UInt8]>?
  /// The refresh token that belongs to an access token.
  package var refreshToken: Redacted<[UInt8]>?
  /// Whether it is sent as a bearer token; nil if that is not known.
  package var isBearer: Bool?
  package var expiresOn: Timestamp?
  /// The parts of the file that a removal takes out.
  var cuts: [Cut]

  init(_ kind: Kind, at place: String, cuts: [Cut]) {
    self.kind = kind
    self.place = Self.shown(place)
    self.cuts = cuts
  }

  /// The reason why it cannot be taken out; nil if it can.
  package var obstacle: String? {
    if cuts.isEmpty { return "the tool itself must remove it" }
    for case .kept(let reason) in cuts { return reason }
    return nil
  }

  /// Stores text as the secret. Its end is that of the token if it is a JSON Web Token.
  mutating func hold(_ text: String?) {
    guard let text, !text.isEmpty else { return }
    secret = Redacted(Array(text.utf8))
    expiresOn = expiresOn ?? Timestamp(endOfWebToken: text)
  }

  private static let prefixes = [
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "npm_", "pypi-", "dckr_pat_",
    "eyJ", "xoxb-", "xoxp-",
  ]

  /// Whether a text in the place of a user name is a token. Names are shorter, or have a dot or an @, or
  /// are GUIDs.
  static func looksLikeToken(_ text: String) -> Bool {
    if prefixes.contains(where: { text.hasPrefix($0) }) { return true }
    return text.utf8.count >= 32 && !GUID.isValid(text.utf8)
      && !text.contains { $0 == "." || $0 == "@" || $0 == " " }
  }

  /// The URL without what may be a secret; nil if an @ stands behind the host, since a password with a
  /// slash would look like a host, and if a query or user information stands before the host.
  private static func bare(_ url: String) -> String? {
    let start = url.firstRange(of: "//")?.upperBound ?? url.startIndex
    let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    // A // that follows a query or user information begins no host.
    guard !url[end...].contains("@"), !url[..<start].contains(where: { "?#@".contains($0) }) else {
      return nil
    }
    let text = url.prefix { $0 != "?" && $0 != "#" }
    guard let at = url[start..<end].lastIndex(of: "@") else { return String(text) }
    return String(text[..<start] + text[text.index(after: at)...])
  }

  /// A place without what may be a secret: the name of a member may be a URL with a password, or with a
  /// query. Everything up to the last @ is left out, except a scheme.
  private static func shown(_ place: String) -> String {
    var text = place[...]
    let slashes = place.firstRange(of: "//")
    if slashes != nil { text = text.prefix { $0 != "?" && $0 != "#" } }
    guard let at = place.lastIndex(of: "@") else { return String(text) }
    let rest = place[place.index(after: at)...].prefix { $0 != "?" && $0 != "#" }
    guard let slashes, slashes.upperBound <= at else { return String(rest) }
    let head = place[..<slashes.lowerBound]
    let isScheme = ["", "http:", "https:"].contains {
      head == $0 || !$0.isEmpty && head.hasSuffix(".\($0)")
    }
    return String((isScheme ? place[..<slashes.upperBound] : "") + rest)
  }

  /// Whether two findings are the same secret, perhaps of two versions of a file.
  func isSame(as other: PlaintextSecret) -> Bool {
    kind == other.kind && username == other.username && service == other.service
      && Self.areEqual(secret, other.secret) && Self.areEqual(refreshToken, other.refreshToken)
  }

  private static func areEqual(
    _ one: Redacted<[UInt8]>?, _ other: Redacted<[UInt8]>?
  ) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return ConstantTime.equal(one.reveal(), other.reveal())
  }
}

/// A part of a file that can be taken out of it.
enum Cut: Hashable, Sendable {
  case bytes(Range<Int>)
  /// A member or an element of a JSON text, by the index in each container on the way.
  case node([Int])
  /// The part cannot be taken out, for this reason.
  case kept(String)
}
