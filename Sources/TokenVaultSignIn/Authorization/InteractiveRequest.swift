public import TokenVaultModel

/// A request for tokens that signs the user in through the browser (MSAL's
/// MSALInteractiveTokenParameters).
public struct InteractiveRequest: Hashable, Sendable {
  /// The scopes that the token must have.
  public var scopes: ScopeSet
  /// The step that the provider's page must ask of the user.
  public var prompt = Prompt.ifNecessary
  /// Whether the provider's account picker is requested if ``prompt`` is ``Prompt/ifNecessary`` and
  /// the group already has an account of this client and provider. Otherwise the browser's session
  /// would sign in the same person again.
  package var offersAccountPicker = false
  /// A user name to fill in. The user may still sign in with another account; the result names it.
  public var loginHint = ""
  /// A domain, which lets the provider skip its page for choosing one.
  public var domainHint = ""
  /// Further scopes for the user to consent to now. The token does not get them.
  public var extraScopesToConsent = ScopeSet([])
  /// The claims to put into the tokens.
  public var claims: ClaimsRequest?
  /// An authority to use instead of the application's.
  public var authority: Authority?
  /// Further parameters for both endpoints. They cannot replace a parameter of the protocol.
  public var extraParameters: [String: String] = [:]
  /// The scheme that the token is sent to APIs with.
  public var authenticationScheme = AuthenticationScheme.bearer
  /// The only account that may sign in; another one fails with ``SignInError/mismatchedUser``.
  public var account: HomeAccountID?
  /// The time limit for the whole sign-in, in milliseconds. It does not discard a sign-in that the
  /// user has finished: the requests that complete it have the limit of
  /// ``ApplicationConfiguration/requestTimeoutMilliseconds`` each.
  public var deadlineMilliseconds = 300_000
  /// Identifies the request in the provider's logs; empty for a new UUID.
  public var correlationID = ""

  /// A request for scopes.
  public init(scopes: ScopeSet) { self.scopes = scopes }

  /// ``extraParameters`` in a fixed order.
  package var extra: FormParameters { FormParameters(sorted: extraParameters) }
}
