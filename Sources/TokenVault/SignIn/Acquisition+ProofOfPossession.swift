import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

extension Acquisition {
  /// A new key, which takes about 0.1 s of processor time.
  func newProof() throws(SignInError) -> ProofOfPossession {
    do { return try ProofOfPossession(SigningKey.generate()) } catch { throw .cryptography }
  }

  /// The client and the key of a request for a bound token: the stored key, otherwise a new one,
  /// which is stored with the first token that is bound to it.
  func bound(
    _ request: TokenRequest, of reference: AccountReference, _ options: SilentOptions
  ) throws(VaultError) -> (TokenRequest, SilentOptions) {
    guard options.isBound else { return (request, options) }
    var (request, options) = (request, options)
    if request.clientID == nil {
      let known = try session.storedSignIn(reference)
      guard let client = known.clientID else {
        throw .clientRequired(stored: known.clientIDs, account: known.account)
      }
      request.clientID = client
    }
    let client = request.clientID ?? ""
    options.proof = try session.read { transaction in
      try transaction.proof(
        of: self.session.lookup.stored(reference, in: transaction), client: client)
    }
    if options.proof == nil {
      do { options.proof = try newProof() } catch { throw .signIn(error) }
    }
    return (request, options)
  }

  /// The options with the key that another process may have stored meanwhile.
  func bound(
    _ plan: SilentPlan.Refresh, _ options: SilentOptions
  ) throws(VaultError) -> SilentOptions {
    guard options.isBound else { return options }
    var options = options
    options.proof =
      try session.read { transaction in
        try transaction.account(of: plan.account).flatMap {
          try transaction.proof(of: $0, client: plan.clientID)
        }
      } ?? options.proof
    return options
  }

  /// The Authorization header that presents a token in one request to an API.
  func header(
    _ token: TokenResult, _ method: String, _ address: HTTPURL
  ) throws(VaultError) -> Redacted<String> {
    guard !token.keyID.isEmpty else { return token.authorizationHeader }
    guard let method = ProofOfPossession.HTTPMethod(rawValue: method) else {
      throw .signIn(.invalidRequest(.method))
    }
    let completed = try TokenCompletion(session: session).presented(
      token, .pop(.init(method, address)))
    return completed.authorizationHeader
  }
}
