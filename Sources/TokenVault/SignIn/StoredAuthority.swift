import GroupStore
import SignIn
import VaultModel

extension VaultCore {
  /// Who is asked for a new token of an account; nil where that is not known.
  func authority(
    _ request: TokenRequest, _ options: SilentOptions, _ client: String, of stored: StoredAccount
  ) throws(SignInError) -> Authority? {
    let sheet = stored.sheet
    let home = HomeAccountID(sheet.homeAccountID)
    let wanted = request.authority ?? options.application?.authority
    if let wanted, wanted.authorityType != sheet.authorityType, sheet.authorityType != .entra {
      throw .invalidRequest(.account)
    }
    let known = try signedInBy(client, sheet)
    // A B2C account is of the policy that made it, and other providers have one authority each.
    guard let chosen = wanted?.kind == .entra || known == nil ? wanted ?? known : known else {
      return nil
    }
    guard chosen.kind == .entra else { return chosen }
    if let tenant = request.tenantID { return try chosen.with(tenant: tenant) }
    // What signed in for all tenants is refreshed in the account's own.
    guard chosen.isForAllTenants, !home.tenantID.isEmpty else { return chosen }
    return try chosen.with(tenant: home.tenantID)
  }

  /// The authority that signed a client in to an account; nil where that is not known.
  func signedInBy(_ client: String, _ sheet: AccountSheet) throws(SignInError) -> Authority? {
    guard let text = sheet.authorities[CaseFolding.key(client)] else { return try derived(sheet) }
    return try Authority(text)
  }

  /// The authority of an account that was imported: from its host, else from the issuer of its ID
  /// token.
  private func derived(_ sheet: AccountSheet) throws(SignInError) -> Authority? {
    let host = sheet.environment
    let home = HomeAccountID(sheet.homeAccountID)
    let realm = sheet.profiles.first?.tenantID ?? home.tenantID
    if CloudEnvironment.isKnownCloud(host) {
      return try Authority("https://\(host)/\(home.tenantID.isEmpty ? realm : home.tenantID)")
    }
    if sheet.authorityType == .b2c {
      guard let policy = home.policy else { return try Authority("https://\(host)/\(realm)") }
      return try Authority("https://\(host)/\(realm)/\(policy)")
    }
    guard [.entra, .oidc].contains(sheet.authorityType) else { return nil }
    for profile in sheet.profiles {
      guard let issuer = IDToken(claimsJSON: profile.claimsJSON)?.issuer,
        let address = WebAddress(issuer), address.host == host
      else { continue }
      return try Authority(issuer)
    }
    return nil
  }
}
