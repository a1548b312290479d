import TokenVaultCrypto
package import TokenVaultModel

/// The tokens of a response that passed validation: the user, and the granted scopes. Only
/// validated tokens are stored.
package struct ValidatedTokens: Sendable {
  package let clientID: String
  package let authority: Authority
  /// The issuer in the discovery document of the server that sent the response.
  package let issuer: String
  package let answer: TokenResponse
  /// The claims of the ID token, or of the userinfo endpoint if a sign-in returned no ID token; nil
  /// if a refresh returned none.
  package let idToken: IDToken?
  /// The account; for a refresh, the expected one.
  package let homeAccountID: String
  /// The tenant that the tokens are for.
  package let realm: String
  /// The scopes of the access token.
  package let granted: ScopeSet
  /// The requested scopes that were not granted.
  package let declined: [String]
  /// The key that the access token is bound to; nil for a bearer token.
  package let proof: ProofOfPossession?
  /// Whether the access token expires.
  private let hasExpiry: Bool
  /// The time of the response.
  package let now: Timestamp
  package let correlationID: String

  /// The requirements on a response.
  package struct Expectation: Sendable {
    /// The requested scopes.
    package var scopes: ScopeSet
    /// The nonce that was sent; nil if none was.
    package var nonce: String?
    /// The account that the refresh token belongs to; nil for a new sign-in.
    package var account: HomeAccountID?
    /// The tenant of a refresh; empty for a new sign-in.
    package var realm: String
    /// The key that the token must be bound to; nil for a bearer token.
    package var proof: ProofOfPossession?

    package init(
      scopes: ScopeSet, nonce: String? = nil, account: HomeAccountID? = nil, realm: String = "",
      proof: ProofOfPossession? = nil
    ) {
      self.proof = proof
      self.scopes = scopes
      self.nonce = nonce
      self.account = account
      self.realm = realm
    }
  }

  /// Validates a response.
  /// - Throws: ``SignInError/idToken(_:)``, ``SignInError/badAnswer(_:)``,
  ///   ``SignInError/mismatchedUser``.
  package init(
    _ answer: TokenResponse, of endpoint: TokenEndpoint, keys: ProviderKeys,
    expecting expected: Expectation, now: Timestamp
  ) throws(SignInError) {
    // A bearer token in response to a request for a bound one is refused, and so is the reverse.
    let tokenType = expected.proof == nil ? "bearer" : "pop"
    guard answer.tokenType.lowercased() == tokenType else { throw .badAnswer(.tokenType) }
    proof = expected.proof
    let metadata = endpoint.metadata
    clientID = endpoint.application.clientID
    authority = metadata.authority
    issuer = metadata.issuer
    self.answer = answer
    self.now = now
    correlationID = endpoint.correlationID
    let isMicrosoft = authority.isMicrosoft
    var claims = try answer.idToken.map { token throws(SignInError) in
      guard let address = metadata.jwkSetAddress else { throw .notOffered(.idTokens) }
      return try keys.validate(
        token.reveal(),
        IDTokenExpectations(
          issuer: IssuerRule(metadata.issuer), clientID: endpoint.application.clientID,
          nonce: expected.nonce.map { Redacted($0) }, accessToken: answer.accessToken, now: now,
          // Microsoft's subjects differ between clients; `client_info` identifies the user.
          subject: isMicrosoft ? nil : expected.account?.identifier,
          allowedAlgorithms: metadata.idTokenAlgorithms),
        keysAt: address, endpoint.cancellation)
    }
    if claims == nil, expected.account == nil, !isMicrosoft {
      claims = try endpoint.userInfo(answer.accessToken)
    }
    idToken = claims
    let found = isMicrosoft ? answer.clientInfo?.homeAccountID : idToken?.subject
    if let account = expected.account {
      // OIDC Core section 12.2: a refresh must return the same subject as the sign-in.
      if let found {
        let isSame =
          isMicrosoft
          ? CaseFolding.equal(found, account.identifier) : found == account.identifier
        guard isSame else { throw .mismatchedUser }
      }
      homeAccountID = account.identifier
    } else {
      guard idToken != nil, let found else { throw .badAnswer(.nobody) }
      homeAccountID = found
    }
    // `client_info` is not signed, so the ID token of the home tenant must name the same user.
    let home = HomeAccountID(homeAccountID)
    if authority.kind == .entra, let idToken, let person = idToken.objectID,
      CaseFolding.equal(idToken.tenantID ?? "", home.tenantID),
      !CaseFolding.equal(person, home.objectID)
    {
      throw .idToken(.subject)
    }
    realm =
      isMicrosoft
      ? idToken?.tenantID ?? (expected.realm.isEmpty ? authority.tenant : expected.realm)
      : expected.realm.isEmpty ? metadata.realm : expected.realm
    let provider = metadata.provider
    (granted, declined) = Self.grant(
      answer.scopes.map { provider?.granted($0) ?? $0 }, asked: expected.scopes,
      including: { provider?.including($0) ?? $0 }, isMicrosoft: isMicrosoft)
    hasExpiry = answer.namesLifetime || provider?.hasTokensWithoutExpiry != true
  }

  /// The granted scopes, and the requested ones that were declined. Requested scopes that were not
  /// declined are stored with the grant as they were written, so that the same request finds the
  /// token again: a resource's `.default` stands for everything it grants, and providers omit some
  /// scopes from their responses.
  private static func grant(
    _ granted: ScopeSet?, asked: ScopeSet, including implied: ([String]) -> [String],
    isMicrosoft: Bool
  ) -> (granted: ScopeSet, declined: [String]) {
    guard let granted else { return (asked, []) }
    let ofSignIn = ["openid", "profile", "email", "offline_access"]
    // Microsoft Entra may omit the resource of Microsoft Graph's scopes, or add it.
    func bare(_ scope: String) -> String {
      let (scope, graph) = (scope.lowercased(), "https://graph.microsoft.com/")
      return scope.hasPrefix(graph) ? String(scope.dropFirst(graph.count)) : scope
    }
    let known = Set(implied(granted.scopes).map(bare) + ofSignIn)
    let declined = asked.scopes.filter {
      // At third-party providers `.default` is an ordinary scope, and a token without it is for
      // another purpose.
      !(isMicrosoft && $0.lowercased().hasSuffix("/.default")) && !known.contains(bare($0))
    }
    return (ScopeSet(granted.scopes + asked.scopes.filter { !declined.contains($0) }), declined)
  }

  /// When the access token expires.
  package var expiresOn: Timestamp { hasExpiry ? now.advanced(by: answer.expiresIn) : .never }

  /// The id of ``proof``; empty for a bearer token.
  package var keyID: String { proof?.keyID ?? "" }

  /// The user name, as in MSAL: `preferred_username`, else `upn`, else `email`.
  package var username: String { idToken?.username ?? idToken?.text("email") ?? "" }
}
