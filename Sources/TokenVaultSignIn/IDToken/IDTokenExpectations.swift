package import TokenVaultCrypto
package import TokenVaultModel

/// The requirements on an ID token (OIDC Core sections 3.1.3.7 and 12.2).
package struct IDTokenExpectations: Sendable {
  /// The issuers that it may have.
  package var issuer: IssuerRule
  /// This application, its audience.
  package var clientID: String
  /// The nonce of the authorization request; nil if there was none (device code, refresh).
  package var nonce: Redacted<String>?
  /// The access token of the same response, compared with `at_hash` if the ID token has it.
  package var accessToken: Redacted<String>?
  /// The time of the check.
  package var now: Timestamp
  /// The permitted difference between the provider's clock and this one, in seconds.
  package var skew: Int64
  /// The required subject after a refresh; nil if any user may sign in.
  package var subject: String?
  /// The algorithms that the provider names; empty if it names none.
  package var allowedAlgorithms: [String]

  package init(
    issuer: IssuerRule, clientID: String, nonce: Redacted<String>? = nil,
    accessToken: Redacted<String>? = nil, now: Timestamp, skew: Int64 = 300,
    subject: String? = nil, allowedAlgorithms: [String] = []
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.nonce = nonce
    self.accessToken = accessToken
    self.now = now
    self.skew = skew
    self.subject = subject
    self.allowedAlgorithms = allowedAlgorithms
  }

  /// Validates a token and returns its claims.
  /// - Throws: ``SignInError/idToken(_:)`` with the first check that failed.
  package func validate(_ token: String, keys: JWKSet) throws(SignInError) -> IDToken {
    try validate(SignedToken(token), keys: keys)
  }

  func validate(_ token: SignedToken, keys: JWKSet) throws(SignInError) -> IDToken {
    try check(
      allowedAlgorithms.isEmpty || allowedAlgorithms.contains(token.algorithm.rawValue),
      .algorithm)
    // No claim is used before the signature has been verified.
    try token.verify(keys)
    let claims = token.claims
    try check(issuer.allows(claims.issuer, tenant: claims.tenantID), .issuer)
    try checkAudience(claims)
    try checkTimes(claims)
    if let nonce { try check(Self.equal(claims.nonce, nonce.reveal()), .nonce) }
    try checkAccessToken(claims, token.algorithm)
    // Section 2: at most 255 ASCII characters.
    guard let subject = claims.subject, subject.utf8.count <= 255 else {
      throw .idToken(.subject)
    }
    try check(self.subject.map { $0 == subject } ?? true, .subject)
    return claims
  }

  private func checkAudience(_ claims: IDToken) throws(SignInError) {
    try check(claims.audience.contains(clientID), .audience)
    let azp = claims.claim("azp")
    try check(claims.audience.count == 1 || azp != nil, .authorizedParty)
    try check(azp.map { $0 == .string(clientID) } ?? true, .authorizedParty)
  }

  private func checkTimes(_ claims: IDToken) throws(SignInError) {
    let earliest = now.advanced(by: -skew)
    let latest = now.advanced(by: skew)
    try check(claims.moment("exp").map { earliest < $0 } ?? false, .expired)
    try check(claims.moment("iat").map { $0 <= latest } ?? false, .issuedInFuture)
    try check(
      claims.claim("nbf") == nil || claims.moment("nbf").map { $0 <= latest } ?? false,
      .notYetValid)
  }

  /// Section 3.1.3.6: the left half of the algorithm's hash of the access token.
  private func checkAccessToken(
    _ claims: IDToken, _ algorithm: SignatureAlgorithm
  ) throws(SignInError) {
    guard let accessToken, let given = claims.claim("at_hash") else { return }
    let hash: [UInt8]
    do { hash = try algorithm.hash(Array(accessToken.reveal().utf8)) } catch {
      throw .idToken(.accessTokenHash)
    }
    let expected = Base64URL.encode(Array(hash.prefix(hash.count / 2)))
    try check(Self.equal(given.text, expected), .accessTokenHash)
  }

  private func check(
    _ holds: Bool, _ fault: SignInError.IDTokenFault
  ) throws(SignInError) {
    guard holds else { throw .idToken(fault) }
  }

  private static func equal(_ left: String?, _ right: String) -> Bool {
    left.map { ConstantTime.equal(Array($0.utf8), Array(right.utf8)) } ?? false
  }
}

extension IDToken {
  /// A NumericDate (RFC 7519 section 2), which may have a fraction; nil for any other value.
  fileprivate func moment(_ name: String) -> Timestamp? {
    guard case .number(let literal) = claim(name), let seconds = Double(literal),
      // Up to the year 9999.
      (0...253_402_300_799).contains(seconds)
    else { return nil }
    return Timestamp(epochSeconds: Int64(seconds))
  }
}
