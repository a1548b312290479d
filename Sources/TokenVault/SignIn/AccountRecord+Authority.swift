import TokenVaultGroupStore
import TokenVaultSignIn
import TokenVaultModel

extension AccountRecord {
  /// The authority that issues a new token of an account; nil if it is not known.
  ///
  /// It is always the server that signed the account in: a refresh token that is sent to any other
  /// server is lost (RFC 9700 section 4.4, mix-up).
  func authority(
    _ request: TokenRequest, _ options: SilentOptions, _ client: String
  ) throws(SignInError) -> Authority? {
    let wanted = request.authority ?? options.application?.authority
    let known = try authority(ofClient: client)
    if let wanted {
      let isOwn =
        known.map(wanted.isSameServer)
        ?? CloudEnvironment.same(wanted.environment, environment)
      guard isOwn else {
        throw .issuedElsewhere(
          issuer: known?.address.server ?? environment, requested: wanted.address.server)
      }
      guard wanted.authorityType == known?.authorityType ?? authorityType else {
        throw .issuedElsewhere(issuer: known?.url ?? environment, requested: wanted.url)
      }
    }
    // A B2C account belongs to the policy that created it, and third-party providers have one
    // authority each.
    guard let chosen = wanted?.kind == .entra ? wanted : known ?? wanted else { return nil }
    // An account that signed in at an authority for all tenants is refreshed in its own tenant.
    let tenant = request.tenantID ?? HomeAccountID(homeAccountID).tenantID
    return tenant.isEmpty ? chosen : try chosen.with(tenant: tenant)
  }

  /// The tenant of a request that names none: the tenant of the authority named by the request, by
  /// its application, or by the client's sign-in. Nil for the account's home tenant.
  func tenant(
    _ request: TokenRequest, _ options: SilentOptions
  ) throws(SignInError) -> String? {
    if let wanted = request.authority ?? options.application?.authority { return wanted.tenantID }
    let clients = request.clientID.map { [CaseFolding.key($0)] } ?? Array(authorities.keys)
    let texts = Set(clients.compactMap { authorities[$0] })
    guard texts.count == 1, let text = texts.first else { return nil }
    return try Authority(text).tenantID
  }

  /// The authority that signed a client in to an account; nil if it is not known.
  func authority(ofClient client: String) throws(SignInError) -> Authority? {
    guard let text = authorities[CaseFolding.key(client)] else { return try derivedAuthority() }
    return try Authority(text)
  }

  /// The authority of an imported account, derived from its host, otherwise from the issuer of its
  /// ID token, otherwise from its own issuer.
  private func derivedAuthority() throws(SignInError) -> Authority? {
    let host = environment
    let home = HomeAccountID(homeAccountID)
    let realm = profiles.first?.tenantID ?? home.tenantID
    if CloudEnvironment.isKnownCloud(host) {
      return try Authority("https://\(host)/\(home.tenantID.isEmpty ? realm : home.tenantID)")
    }
    if authorityType == .b2c {
      guard let policy = home.policy else { return try Authority("https://\(host)/\(realm)") }
      return try Authority("https://\(host)/\(realm)/\(policy)")
    }
    guard [.entra, .oidc].contains(authorityType) else { return nil }
    for profile in profiles {
      guard let issuer = IDToken(claimsJSON: profile.claimsJSON)?.issuer,
        let address = HTTPURL(issuer)
      else { continue }
      if address.host == host { return try Authority(issuer) }
      // The issuer of a custom domain of Entra External ID is at another host.
      if authorityType == .entra, CustomerHost.isExternalID(address.host), !realm.isEmpty {
        return try Authority("https://\(host)/\(realm)/v2.0")
      }
    }
    // The account of a provider without ID tokens, from an export of this program.
    if authorityType == .oidc, HTTPURL(issuer)?.host == host { return try Authority(issuer) }
    return nil
  }
}
