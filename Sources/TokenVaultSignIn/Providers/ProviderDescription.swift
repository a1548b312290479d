package import TokenVaultModel

/// A provider known by name: the content of a provider file (docs/providers.md).
///
/// Everything that differs between providers and is not in their discovery documents is in these
/// files, so that a new provider needs no code.
package struct ProviderDescription: Hashable, Sendable {
  /// The name on the command line: the file's name without its suffix.
  package var key = ""
  /// The name for people.
  package var name: String
  /// The issuer; nil for a provider whose URL the user has to give.
  package var issuer: Authority?
  /// Whether the issuer is a URL that the user gave.
  package var isElsewhere = false
  /// Whether the user may give another URL, which takes the place of the issuer.
  package var takesURL = false
  /// RFC 6749 section 3.1.
  package var authorizationEndpoint: HTTPURL?
  /// RFC 6749 section 3.2. A provider that has it needs no discovery document.
  package var tokenEndpoint: HTTPURL?
  /// RFC 8628 section 3.1.
  package var deviceAuthorizationEndpoint: HTTPURL?
  /// RFC 7009 section 2.
  package var revocationEndpoint: HTTPURL?
  /// A page that names the user of a token, for a provider without ID tokens.
  package var userEndpoint: HTTPURL?
  /// The members of its answer with the stable id and the user name.
  package var userID = ""
  package var userName = ""
  /// The scopes of a sign-in that names none.
  package var scopes: [String] = []
  /// The scopes that a scope includes, in the spelling of the provider.
  package var impliedScopes: [String: [String]] = [:]
  /// The character between two scopes of a response.
  package var scopeSeparator: Character = " "
  /// Whether a token does not expire if its response names no lifetime.
  package var hasTokensWithoutExpiry = false
  /// The client id.
  package var clientID: String?
  /// The secret of an installed application, which is not confidential (RFC 8252 section 8.5).
  package var clientSecret: String?
  /// The redirect URI; nil for the standard one.
  package var redirectURI: RedirectURI?
  /// Whether a sign-in uses a code on another device by default.
  package var prefersDeviceCode = false
  /// The hosts that a token may be sent to by `request`; nil for any.
  package var apiHosts: [String]?
  /// The hosts that take a token in the place of a password, as git sends it; empty for none.
  package var credentialHosts: [String] = []
  /// The user name that goes with the token there.
  package var credentialUsername = "oauth2"
  /// The scopes of the token; empty for the account's stored one.
  package var credentialScopes: [String] = []
  /// Whether these hosts take it as a bearer token, too (RFC 6750).
  package var takesBearerCredentials = false
  /// The page where a client id is made, and the settings to choose there.
  package var registrationPage: String?
  package var registrationHelp = ""
  /// The page where the user can revoke tokens.
  package var revocationPage: HTTPURL?
  /// The page where the user sees the account.
  package var portalPage: HTTPURL?
  /// The number of days without use after which the provider ends a refresh token; nil if it names
  /// none.
  package var refreshTokenIdleDays: Int64?

  /// Whether the provider issues ID tokens.
  package var hasIDTokens: Bool { userEndpoint == nil }

  /// Whether it is the provider of this authority.
  package func describes(_ authority: Authority) -> Bool {
    guard let issuer, issuer.kind == authority.kind else { return false }
    return AccountIdentity.bare(issuer.description) == AccountIdentity.bare(authority.description)
  }

  /// Whether a token of this provider may be sent to a URL by `request`.
  package func allows(_ address: HTTPURL) -> Bool {
    apiHosts.map { Self.matches(address, $0) } ?? true
  }

  /// Whether a token of this provider is a password at a URL.
  package func isCredential(at address: HTTPURL) -> Bool {
    Self.matches(address, credentialHosts)
  }

  private static func matches(_ address: HTTPURL, _ patterns: [String]) -> Bool {
    patterns.contains { pattern in
      let isWild = pattern.hasPrefix("*.")
      guard let (host, port) = HTTPURL.hostAndPort(String(pattern.dropFirst(isWild ? 2 : 0)))
      else { return false }
      return address.port == port
        && (isWild ? address.host.hasSuffix("." + host) : address.host == host)
    }
  }

  /// The scopes of a response's `scope` (RFC 6749 section 3.3, or another separator).
  package func granted(_ text: ScopeSet) -> ScopeSet {
    ScopeSet(text.scopes.flatMap { $0.split(separator: scopeSeparator).map(String.init) })
  }

  /// These scopes and all that they include.
  package func including(_ scopes: [String]) -> [String] {
    var all = scopes
    for scope in scopes { all += impliedScopes[scope] ?? [] }
    return all
  }
}

extension Timestamp {
  /// The expiry of a token that does not expire: the last second that ISO 8601 can write with four
  /// digits. MSAL's cache requires a number, and every library reads this one.
  package static let never = Timestamp(epochSeconds: 253_402_300_799)

  /// Whether this is the expiry of a token that does not expire.
  package var isNever: Bool { self >= .never }
}
