/// What an application is to its provider (MSAL's MSALPublicClientApplicationConfig).
public struct ApplicationConfiguration: Hashable, Sendable {
  /// The client id that the provider knows the application by (RFC 6749 section 2.2).
  public var clientID: String
  /// Who signs people in.
  public var authority: Authority
  /// Where the browser brings the answer.
  public var redirectURI: RedirectURI
  /// Authorities beside ``authority`` that requests may name; requests for others are refused.
  /// Authorities of Microsoft's clouds need not be named.
  public var knownAuthorities: [Authority]
  /// What the application can handle (`CP1`: claims challenges), sent with every token request.
  public var clientCapabilities: [String]
  /// For how many seconds a stored token must still be valid to be served; MSAL's 300.
  public var tokenExpirationBuffer: Int64
  /// Whether an expired token may be served while the provider is down, for as long as the
  /// provider said when it issued it.
  public var extendedLifetimeEnabled: Bool
  /// How often a request that did not reach the provider is tried again.
  public var retryCount: Int
  /// For how many milliseconds to wait before that.
  public var retryIntervalMilliseconds: Int
  /// How long one request may take, in milliseconds.
  public var requestTimeoutMilliseconds: Int
  /// Parameters that go with every request to the provider (MSAL's slice configuration: `slice` and
  /// `dc`); none may replace one of the protocol's or of a single request.
  public var extraParameters: [String: String]

  /// An application with MSAL's defaults.
  public init(
    clientID: String, authority: Authority, redirectURI: RedirectURI = .standard
  ) {
    self.clientID = clientID
    self.authority = authority
    self.redirectURI = redirectURI
    knownAuthorities = []
    clientCapabilities = []
    tokenExpirationBuffer = 300
    extendedLifetimeEnabled = false
    retryCount = 1
    retryIntervalMilliseconds = 500
    requestTimeoutMilliseconds = 30_000
    extraParameters = [:]
  }
}
