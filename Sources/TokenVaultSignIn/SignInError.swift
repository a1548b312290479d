/// Everything that can go wrong between an application and its provider. No case carries a token,
/// a code or the name of a person.
public enum SignInError: Error, Hashable, Sendable {
  // MARK: The application's words

  /// The authority is no https URL (or http on this machine) that one of the kinds has.
  case invalidAuthority
  /// AD FS without Microsoft Entra in front of it is not spoken to.
  case unsupportedAuthority
  /// The redirect URI is none that a native app may have (RFC 8252 section 7).
  case invalidRedirectURI
  /// A scope, claims request, capability or parameter has a form that is not sent.
  case invalidRequest(Parameter)

  // MARK: The provider's description

  /// The discovery document cannot be used.
  case badDiscovery(DiscoveryFault)
  /// The provider does not offer what was asked for.
  case notOffered(Feature)

  // MARK: The browser

  /// The listener could not be set up, by errno.
  case redirectUnavailable(Int32)
  /// Another sign-in waits for the same answer.
  case sessionAlreadyRunning
  /// Nobody signed in before the deadline.
  case timedOut
  /// The application or the user at the terminal gave up.
  case cancelled
  /// The user declined at the provider's page (`access_denied`).
  case userCancelled
  /// An answer came with another state than this sign-in's (RFC 6749 section 10.12).
  case stateMismatch
  /// An answer came from another issuer than the one asked (RFC 9207 section 2.4).
  case issuerMismatch
  /// The answer has neither a code nor an error, or something twice.
  case badRedirect
  /// B2C: the user asked to reset the password (AADB2C90118); the application begins that policy.
  case passwordResetRequested
  /// B2C: the user left the edit-profile or another policy (AADB2C90091).
  case policyCancelled

  // MARK: Answers

  /// Nothing came back.
  case transport(TransportError)
  /// The provider answered with an error of RFC 6749 section 4.1.2.1 or 5.2.
  case provider(OAuthError)
  /// The device code ended before anybody used it (RFC 8628 section 3.5).
  case deviceCodeExpired
  /// The answer is not what its kind must be.
  case badAnswer(AnswerFault)
  /// The ID token does not prove what it must.
  case idToken(IDTokenFault)
  /// The provider granted less than was asked for.
  case declinedScopes(granted: [String], declined: [String])
  /// OpenSSL could make no random bytes, digest or signature.
  case cryptography
  /// Another person signed in than the account that was named.
  case mismatchedUser
  /// The provider asked to be left alone, or refused the same request just now.
  case throttled(untilEpochSeconds: Int64, OAuthError?)

  /// A part of a request.
  public enum Parameter: String, Hashable, Sendable {
    case scope, claims, capability, clientID = "client id", extraParameter = "extra parameter"
    case account, tenant, url = "URL", header, method
  }

  /// What is wrong with a discovery document.
  public enum DiscoveryFault: Hashable, Sendable {
    /// The answer has this status instead of 200.
    case status(Int)
    /// It is no JSON object.
    case notJSON
    /// A field is missing or has the wrong type.
    case field(String)
    /// It is of another issuer than the authority (OIDC Discovery section 4.3, RFC 8414 section 3.3).
    case issuer
    /// An endpoint is not https.
    case endpoint(String)
  }

  /// Something a provider may offer.
  public enum Feature: String, Hashable, Sendable {
    case deviceCode = "device authorization (RFC 8628)"
    case interactive = "an authorization endpoint"
    case pkce = "PKCE with S256 (RFC 7636)"
    case idTokens = "ID tokens and their keys"
  }

  /// What is wrong with a token or device answer.
  public enum AnswerFault: Hashable, Sendable {
    /// It is no JSON object (the body may be empty).
    case notJSON(status: Int)
    /// A field is missing or has the wrong type.
    case field(String)
    /// The token type is none that is understood.
    case tokenType
    /// A redirect where an answer was due.
    case redirect
    /// Neither an ID token nor `client_info` says who signed in.
    case nobody
  }

  /// Which check an ID token failed (OIDC Core section 3.1.3.7).
  public enum IDTokenFault: String, Hashable, Sendable {
    case notAToken = "form"
    case algorithm, key, signature, issuer, audience, authorizedParty = "azp"
    case expired, issuedInFuture = "issue time", notYetValid = "nbf"
    case nonce, accessTokenHash = "at_hash", subject, keysUnavailable = "keys"
  }
}

/// An error that a provider answered with.
public struct OAuthError: Hashable, Sendable {
  /// `error` (RFC 6749 section 5.2), for example `invalid_grant`.
  public var code: String
  /// `error_description`: for logs. It may name the person; people see it, descriptions do not.
  public var text: String
  /// `suberror` of Microsoft Entra: what the user has to do.
  public var suberror: String
  /// Microsoft's error numbers (`AADSTS…`).
  public var numbers: [Int64]
  /// `correlation_id`, by which the provider's support finds the request.
  public var correlationID: String
  /// `claims` that the next request has to carry (conditional access).
  public var claims: String
  /// The status of the HTTP answer; 0 where the error came through the browser.
  public var status: Int

  /// An error with the parts given.
  public init(
    code: String, text: String = "", suberror: String = "", numbers: [Int64] = [],
    correlationID: String = "", claims: String = "", status: Int = 0
  ) {
    self.code = code
    self.text = text
    self.suberror = suberror
    self.numbers = numbers
    self.correlationID = correlationID
    self.claims = claims
    self.status = status
  }
}

extension OAuthError: CustomStringConvertible {
  /// The code, suberror and status; not the text, which may name somebody.
  public var description: String {
    ([code, suberror].filter { !$0.isEmpty } + (status > 0 ? ["status \(status)"] : []))
      .joined(separator: ", ")
  }
}
