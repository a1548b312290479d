/// An error between an application and its provider. No case carries a token, a code or a person's
/// name.
public enum SignInError: Error, Hashable, Sendable {
  // MARK: The application's request

  /// The authority is not an https URL (or http on this machine) of a known form.
  case invalidAuthority
  /// AD FS is supported only through Microsoft Entra.
  case unsupportedAuthority
  /// The redirect URI is not allowed for a native app (RFC 8252 section 7).
  case invalidRedirectURI
  /// A scope, claims request, capability or parameter is malformed, and nothing was sent.
  case invalidRequest(Parameter)

  // MARK: Discovery

  /// The discovery document cannot be used.
  case badDiscovery(DiscoveryFault)
  /// The provider does not offer the requested feature.
  case notOffered(Feature)

  // MARK: The browser

  /// The redirect listener could not start; the number is errno.
  case redirectUnavailable(Int32)
  /// The kernel does not say which user is at the other end of a connection to the redirect listener,
  /// so nothing is accepted from it; the number is errno.
  case clientsUnknown(Int32)
  /// No program is registered with the desktop for the redirect URI's private-use scheme, and
  /// `tokenvault`, which could be, is not installed.
  case redirectSchemeNotRegistered(scheme: String)
  /// Another sign-in is already waiting for a redirect.
  case sessionAlreadyRunning
  /// The user did not sign in before the deadline.
  case timedOut
  /// The application, or the user at the terminal, cancelled the request.
  case cancelled
  /// The user declined on the provider's page (`access_denied`).
  case userCancelled
  /// The deadline passed, and only responses with the `state` of another sign-in had arrived (RFC 6749
  /// section 10.12).
  case stateMismatch
  /// The deadline passed, and a request of another user had been refused. It may have been the browser:
  /// one of Windows, or one behind a port forwarder, connects as another user. A device code works.
  case browserRefused
  /// A response is from another issuer (RFC 9207 section 2.4).
  case issuerMismatch
  /// A response has neither a code nor an error, or has a parameter twice.
  case badRedirect
  /// B2C: the user chose to reset the password (AADB2C90118). Sign in again with the authority of
  /// your password reset policy.
  case passwordResetRequested
  /// B2C: the user cancelled the edit-profile or another policy (AADB2C90091).
  case policyCancelled

  // MARK: The provider's response

  /// There was no response.
  case transport(TransportError)
  /// The provider returned an error (RFC 6749 section 4.1.2.1 or 5.2).
  case provider(OAuthError)
  /// An administrator of the tenant has to consent for this application, on this page (AADSTS90094,
  /// or AADSTS65001 when users may not consent). Signing in again does not help before that.
  case adminConsentRequired(page: HTTPURL, OAuthError)
  /// The device code expired before the user entered it (RFC 8628 section 3.5).
  case deviceCodeExpired
  /// The response is malformed.
  case badAnswer(AnswerFault)
  /// The ID token is invalid.
  case idToken(IDTokenFault)
  /// The provider granted fewer scopes than requested.
  case declinedScopes(granted: [String], declined: [String])
  /// OpenSSL failed to make random bytes, a digest or a signature.
  case cryptography
  /// The account's refresh token was issued by another server or issuer than the requested one. It was
  /// not sent and is kept.
  case issuedElsewhere(issuer: String, requested: String)
  /// The token may be sent to the hosts of its provider's description only. It was not sent.
  case hostNotAllowed(host: String, allowed: [String])
  /// The file that described the provider at the sign-in no longer does. It may have limited the hosts
  /// that the token may be sent to. The token was not sent to this one.
  case providerNotDescribed(file: String, host: String)
  /// The user signed in with another account than the requested one.
  case mismatchedUser
  /// The provider asked to wait (then with an error) or failed (then without one) shortly before; try
  /// again after this time.
  case throttled(untilEpochSeconds: Int64, OAuthError?)

  /// A part of a request.
  public enum Parameter: String, Hashable, Sendable {
    case scope, claims, capability, clientID = "client id", extraParameter = "extra parameter"
    case account, tenant, url = "URL", header, method
  }

  /// The defect of a discovery document.
  public enum DiscoveryFault: Hashable, Sendable {
    /// The response has this status instead of 200.
    case status(Int)
    /// The document is not a JSON object.
    case notJSON
    /// A field is missing or has the wrong type.
    case field(String)
    /// The document names another issuer (OIDC Discovery section 4.3, RFC 8414 section 3.3).
    case issuer
    /// An endpoint is not https, or not in the provider's cloud.
    case endpoint(String)
  }

  /// An optional feature of providers.
  public enum Feature: String, Hashable, Sendable {
    case deviceCode = "device authorization (RFC 8628)"
    case interactive = "an authorization endpoint"
    case pkce = "PKCE with S256 (RFC 7636)"
    case idTokens = "ID tokens and their keys"
    case adminConsent = "a page for the consent of an administrator"
  }

  /// The defect of a token response or a device authorization response.
  public enum AnswerFault: Hashable, Sendable {
    /// The body is not a JSON object; it may be empty.
    case notJSON(status: Int)
    /// A field is missing or has the wrong type.
    case field(String)
    /// The token type is not supported.
    case tokenType
    /// The response is a redirect.
    case redirect
    /// Neither an ID token nor `client_info` names the user.
    case nobody
  }

  /// The check that an ID token failed (OIDC Core section 3.1.3.7).
  public enum IDTokenFault: String, Hashable, Sendable {
    case notAToken = "form"
    case algorithm, key, signature, issuer, audience, authorizedParty = "azp"
    case expired, issuedInFuture = "issue time", notYetValid = "nbf"
    case nonce, accessTokenHash = "at_hash", subject, keysUnavailable = "keys"
  }
}
