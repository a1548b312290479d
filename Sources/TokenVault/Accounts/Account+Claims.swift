public import TokenVaultSignIn
public import TokenVaultModel

extension TenantProfile {
  /// The claims of the ID token in this tenant; nil where none is stored.
  public var claims: IDToken? { IDToken(claimsJSON: claimsJSON) }
}

extension Account {
  /// The claims of the home tenant's ID token (MSAL's `accountClaims`); nil where none is stored.
  /// Another provider than Microsoft has one tenant, and that is it.
  public var claims: IDToken? {
    let home = tenantProfiles.first { $0.isHomeTenantProfile }
    return (home ?? (homeAccountID.tenantID.isEmpty ? tenantProfiles.first : nil))?.claims
  }
}
