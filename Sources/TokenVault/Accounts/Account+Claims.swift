public import TokenVaultSignIn
public import TokenVaultModel

extension TenantProfile {
  /// The claims of the ID token in this tenant; nil if none is stored.
  public var claims: IDToken? { IDToken(claimsJSON: claimsJSON) }
}

extension Account {
  /// The claims of the home tenant's ID token (MSAL's `accountClaims`); nil if none is stored. An
  /// account of a third-party provider has only one tenant, which counts as its home tenant.
  public var claims: IDToken? {
    let home = tenantProfiles.first { $0.isHomeTenantProfile }
    return (home ?? (homeAccountID.tenantID.isEmpty ? tenantProfiles.first : nil))?.claims
  }
}
