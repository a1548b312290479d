import TokenVaultGroupStore
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

extension Vault {
  /// A token from the cache with the data stored beside it; nil if the provider has to be
  /// contacted.
  func servedSilently(
    _ request: TokenRequest, of reference: AccountReference, _ options: SilentOptions,
    _ presentation: TokenPresentation
  ) throws(VaultError) -> TokenResult? {
    try session.read { transaction in
      let stored = try self.session.lookup.stored(reference, in: transaction)
      guard
        case .serve(let result) = try SilentPlanner(self.session).plan(
          request, of: stored, options, in: transaction)
      else { return nil }
      return try TokenCompletion(session: self.session).complete(
        result, request.clientID ?? "", presentation, of: stored, in: transaction)
    }
  }
}
