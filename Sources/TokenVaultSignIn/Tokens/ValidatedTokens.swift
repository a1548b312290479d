import TokenVaultCrypto
package import TokenVaultModel

/// A token answer that was found to be what was asked for: who signed in, and what was granted.
/// Nothing is stored before one of these was made.
package struct ValidatedTokens: Sendable {
  package let clientID: String
  package let authority: Authority
  package let answer: TokenResponse
  /// The ID token's claims; nil where a refresh brought none.
  package let idToken: IDToken?
  /// The account; empty where a refresh does not say whose it is, which the caller knows.
  package let homeAccountID: String
  /// The tenant that the tokens are for.
  package let realm: String
  /// What the access token is good for.
  package let granted: ScopeSet
  /// What was asked for and not granted.
  package let declined: [String]
  /// The key that the access token is bound to; empty for a bearer token.
  package let keyID: String
  /// When the answer came.
  package let now: Timestamp
  package let correlationID: String

  /// What an answer has to fit.
  package struct Expectation: Sendable {
    /// The scopes that were asked for.
    package var scopes: ScopeSet
    /// The nonce that was sent; nil where none was.
    package var nonce: String?
    /// The account whose refresh token was sent; nil for a new sign-in.
    package var account: HomeAccountID?
    /// The tenant that a refresh was for; empty for a new sign-in.
    package var realm: String
    /// The key that the token was asked to be bound to; empty for a bearer token.
    package var keyID: String

    package init(
      scopes: ScopeSet, nonce: String? = nil, account: HomeAccountID? = nil, realm: String = "",
      keyID: String = ""
    ) {
      self.keyID = keyID
      self.scopes = scopes
      self.nonce = nonce
      self.account = account
      self.realm = realm
    }
  }

  /// Checks an answer.
  /// - Throws: ``SignInError/idToken(_:)``, ``SignInError/badAnswer(_:)``,
  ///   ``SignInError/mismatchedUser``.
  package init(
    _ answer: TokenResponse, of endpoint: TokenEndpoint, keys: ProviderKeys,
    expecting expected: Expectation, now: Timestamp
  ) throws(SignInError) {
    // Asked for a bound token and given one that anybody may use: it is not used as either.
    let tokenType = expected.keyID.isEmpty ? "bearer" : "pop"
    guard answer.tokenType.lowercased() == tokenType else { throw .badAnswer(.tokenType) }
    keyID = expected.keyID
    let metadata = endpoint.metadata
    clientID = endpoint.application.clientID
    authority = metadata.authority
    self.answer = answer
    self.now = now
    correlationID = endpoint.correlationID
    let isMicrosoft = authority.isMicrosoft
    idToken = try answer.idToken.map { token throws(SignInError) in
      guard let address = metadata.keySetAddress else { throw .notOffered(.idTokens) }
      return try keys.validate(
        token.reveal(),
        IDTokenExpectations(
          issuer: IssuerRule(metadata.issuer), clientID: endpoint.application.clientID,
          nonce: expected.nonce.map { Redacted($0) }, accessToken: answer.accessToken, now: now,
          // A Microsoft subject is another one for each client; `client_info` says who it is.
          subject: isMicrosoft ? nil : expected.account?.identifier,
          allowedAlgorithms: metadata.idTokenAlgorithms),
        keysAt: address, endpoint.cancellation)
    }
    let found = isMicrosoft ? answer.clientInfo?.homeAccountID : idToken?.subject
    if let account = expected.account {
      // OIDC Core section 12.2: a refresh is for whom the sign-in was.
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
    // `client_info` is not signed: the ID token of the home tenant has to name the same person.
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
    (granted, declined) = Self.grant(
      answer.scopes, asked: expected.scopes, isMicrosoft: isMicrosoft)
  }

  /// What was granted, and what of the wishes was not. What was asked for and not declined is kept
  /// with the grant in the words it was asked in, so that asking again finds the token: a resource's
  /// `.default` stands for whatever it grants, and some scopes are never told back.
  private static func grant(
    _ granted: ScopeSet?, asked: ScopeSet, isMicrosoft: Bool
  ) -> (granted: ScopeSet, declined: [String]) {
    guard let granted else { return (asked, []) }
    let ofSignIn = ["openid", "profile", "email", "offline_access"]
    // Microsoft Entra may leave out the resource of Microsoft Graph's scopes, or add it.
    func bare(_ scope: String) -> String {
      let (scope, graph) = (scope.lowercased(), "https://graph.microsoft.com/")
      return scope.hasPrefix(graph) ? String(scope.dropFirst(graph.count)) : scope
    }
    let known = Set(granted.scopes.map(bare) + ofSignIn)
    let declined = asked.scopes.filter {
      // At other providers it is a scope like any other, and one that was left out says that the
      // token is for something else.
      !(isMicrosoft && $0.lowercased().hasSuffix("/.default")) && !known.contains(bare($0))
    }
    return (ScopeSet(granted.scopes + asked.scopes.filter { !declined.contains($0) }), declined)
  }

  /// MSAL's name for the person: `preferred_username`, else `upn`, else `email`.
  package var username: String { idToken?.username ?? idToken?.text("email") ?? "" }
}
