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
    // Most accounts are of other providers, and need no look into their descriptions.
    let places = try environments(whoseTokensMayServe: address)
    var found: [TokenCredentialAccount] = []
    for account in try signedInAccounts() {
      guard places.contains(CloudEnvironment.canonical(account.environment)),
        let provider = try descriptions(of: account, for: address)
          .first(where: { $0.isCredential(at: address) })
      else { continue }
      try requireHost(of: address, forTokensOf: account)
      found.append(TokenCredentialAccount(account, provider))
    }
    return found
  }

  /// Throws if a provider's description does not allow the account's tokens to be sent to a URL.
  /// - Throws: ``SignInError/hostNotAllowed(host:allowed:)``, or
  ///   ``SignInError/providerNotDescribed(file:host:)``.
  package func requireHost(
    of address: HTTPURL, forTokensOf account: Account
  ) throws(VaultError) {
    guard account.authorityType == .oidc else { return }
    for provider in try providers(ofTokensOf: account, for: address)
    where !provider.allows(address) {
      throw .signIn(.hostNotAllowed(host: address.origin, allowed: provider.apiHosts ?? []))
    }
  }

  /// The environments of the accounts that may be meant: the host itself, and that of each provider
  /// whose description names the host.
  private func environments(
    whoseTokensMayServe address: HTTPURL
  ) throws(VaultError) -> Set<String> {
    let host = String(address.origin.dropFirst(address.scheme.count + 3))
    var places: Set = [host, address.host]
    for name in try configuration.providers.names() {
      guard let provider = try configuration.providers.named(name),
        provider.isCredential(at: address), let issuer = provider.issuer
      else { continue }
      places.insert(CloudEnvironment.canonical(issuer.environment))
    }
    return places
  }

  private func descriptions(
    of account: Account, for address: HTTPURL
  ) throws(VaultError) -> [ProviderDescription] {
    guard account.authorityType == .oidc else {
      return try configuration.providers.named("microsoft").map { [$0] } ?? []
    }
    do { return try providers(ofTokensOf: account, for: address) } catch {
      // Without its description, the account has no tokens for any host.
      guard case .signIn(.providerNotDescribed) = error else { throw error }
      return []
    }
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
