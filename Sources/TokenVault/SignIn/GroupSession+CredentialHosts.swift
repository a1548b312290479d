import TokenVaultGroupStore
package import TokenVaultModel
package import TokenVaultSignIn

/// An account whose access tokens are passwords at a host.
package struct TokenCredentialAccount: Sendable {
  package let account: Account
  /// The user name that goes with the token.
  package var username = "oauth2"
  /// The scopes of the token; empty for the account's stored one.
  package var scopes: [String] = []
  /// Whether the host takes the token as a bearer token, too.
  package var isBearer = false

  /// An account that the user bound to a host.
  package init(_ account: Account) { self.account = account }

  init(_ account: Account, _ provider: ProviderDescription) {
    self.account = account
    username = provider.credentialUsername
    scopes = provider.credentialScopes
    isBearer = provider.takesBearerCredentials
  }
}

extension GroupSession {
  /// The signed-in accounts whose provider says that its tokens are passwords at an address. An
  /// address that others could listen to has none.
  package func accounts(
    withTokensFor address: HTTPURL
  ) throws(VaultError) -> [TokenCredentialAccount] {
    guard address.isConfidential else { return [] }
    var known: [String: ProviderDescription?] = [:]
    var found: [TokenCredentialAccount] = []
    for account in try signedInAccounts() {
      let key = account.authorityType == .oidc ? "\(account.issuer) \(account.environment)" : ""
      let provider: ProviderDescription?
      if let earlier = known[key] {
        provider = earlier
      } else {
        provider = try descriptions(of: account).first { $0.isCredential(at: address) }
        known[key] = provider
      }
      guard let provider else { continue }
      try requireHost(of: address, forTokensOf: account)
      found.append(TokenCredentialAccount(account, provider))
    }
    return found
  }

  /// Throws if a provider's description does not allow the account's tokens to be sent to a URL.
  /// - Throws: ``SignInError/hostNotAllowed(host:allowed:)``.
  package func requireHost(
    of address: HTTPURL, forTokensOf account: Account
  ) throws(VaultError) {
    guard account.authorityType == .oidc else { return }
    for provider in try providers(ofTokensOf: account) where !provider.allows(address) {
      throw .signIn(.hostNotAllowed(host: address.origin, allowed: provider.apiHosts ?? []))
    }
  }

  private func descriptions(of account: Account) throws(VaultError) -> [ProviderDescription] {
    if account.authorityType == .oidc { return try providers(ofTokensOf: account) }
    return try configuration.providers.named("microsoft").map { [$0] } ?? []
  }

  private func signedInAccounts() throws(VaultError) -> [Account] {
    do {
      return try read { transaction in
        try lookup.all(in: transaction) { $0.record.isSignedIn && !$0.record.isSecret }
          .map { lookup.account($0, in: transaction) }
          .sorted(by: Account.isOrdered)
      }
    } catch .noGroup { return [] }
  }
}
