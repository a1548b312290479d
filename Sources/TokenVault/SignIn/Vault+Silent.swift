import TokenVaultGroupStore
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

extension Vault {
  /// A token from the cache with the data stored beside it; nil if the provider has to be
  /// contacted.
  func servedSilently(
    _ request: TokenRequest, of account: Account, _ options: SilentOptions,
    _ scheme: AuthenticationScheme
  ) throws(VaultError) -> TokenResult? {
    let wanted = ServedTokens.Request(token: request, account: account, hasIDToken: true)
    // A bound token is presented in another request each time.
    let keeps = scheme == .bearer
    let reference = AccountReference.known(account)
    var token = try session.serve(wanted, { keeps ? $0 : nil }) { transaction -> TokenResult? in
      let stored = try self.session.lookup.stored(reference, in: transaction)
      var options = options
      if options.isBound {
        // Without a key no token is bound to it, and a request to the provider makes one.
        let proof = try transaction.proof(of: stored, client: request.clientID ?? "")
        guard let proof else { return nil }
        options.proof = proof
      }
      guard
        case .serve(let result) = try SilentPlanner(self.session).plan(
          request, of: stored, options, in: transaction)
      else { return nil }
      return try TokenCompletion(session: self.session).complete(
        result, request.clientID ?? "", scheme, of: stored, in: transaction)
    }
    token?.credential = nil
    return token
  }
}
