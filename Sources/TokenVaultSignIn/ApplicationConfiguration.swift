/// An application's registration with its provider, and its settings for sign-ins (MSAL's
/// MSALPublicClientApplicationConfig).
///
/// ```swift
/// let configuration = ApplicationConfiguration(
///   clientID: "00000000-0000-0000-0000-000000000000",
///   authority: try .entra(.multipleOrganizations))
/// ```
public struct ApplicationConfiguration: Hashable, Sendable {
  /// The client id (RFC 6749 section 2.2).
  public var clientID: String
  /// The provider that signs users in.
  public var authority: Authority
  /// The URI that the provider's response is sent to through the browser.
  public var redirectURI: RedirectURI
  /// Authorities beside ``authority`` that requests may use; requests for others are refused.
  /// Authorities in Microsoft's clouds need not be listed.
  public var knownAuthorities: [Authority]
  /// The capabilities of the application (`CP1`: it can handle claims challenges), sent with every
  /// token request.
  public var clientCapabilities: [String]
  /// The number of seconds for which a stored token must remain valid to be served. Nil for the
  /// default: 300 as in MSAL, but at most a fifth of the token's own lifetime.
  public var tokenExpirationBuffer: Int64?
  /// Whether an expired token may be served while the provider is down, within the extended
  /// lifetime that the provider set when it issued the token.
  public var extendedLifetimeEnabled: Bool
  /// The number of retries of a request that did not reach the provider.
  public var retryCount: Int
  /// The wait before each retry, in milliseconds.
  public var retryIntervalMilliseconds: Int
  /// The time limit for one request, in milliseconds.
  public var requestTimeoutMilliseconds: Int
  /// Whether a revocation at this provider ends only the revoked token. RFC 7009 section 2.1 lets a
  /// provider end everything that the user granted to the application instead, and no metadata says
  /// which. If true, signing in again revokes the refresh token that it replaces.
  public var revocationEndsTokenAlone: Bool
  /// Parameters for every request to the provider (MSAL's slice configuration: `slice` and `dc`).
  /// They cannot replace a parameter of the protocol or of a single request.
  public var extraParameters: [String: String]
  /// The description of the provider, if the user named it by name. Otherwise the description of the
  /// authority is used, if there is one.
  package var provider: ProviderDescription?

  /// A configuration with MSAL's defaults. Without a redirect URI, it is the one that the provider
  /// expects of native applications: `http://localhost` for Microsoft, `http://127.0.0.1/` for others.
  public init(clientID: String, authority: Authority, redirectURI: RedirectURI? = nil) {
    self.clientID = clientID
    self.authority = authority
    self.redirectURI = redirectURI ?? .standard(of: authority)
    knownAuthorities = []
    clientCapabilities = []
    tokenExpirationBuffer = nil
    extendedLifetimeEnabled = false
    retryCount = 1
    retryIntervalMilliseconds = 500
    requestTimeoutMilliseconds = 30_000
    revocationEndsTokenAlone = false
    extraParameters = [:]
  }
}
