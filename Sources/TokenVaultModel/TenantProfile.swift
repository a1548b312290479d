/// An account's profile in one tenant, as in MSAL.
public struct TenantProfile: Hashable, Sendable {
  /// The tenant (a GUID, or the first path segment of another provider's token endpoint).
  public var tenantID: String
  /// The account's object id in that tenant (`oid`, else `sub`).
  public var identifier: String
  /// The user name in that tenant.
  public var username: String
  /// Whether it is the profile of the account's home tenant.
  public var isHomeTenantProfile: Bool
  /// The claims of the tenant's ID token as a JSON object; empty if none is stored.
  public var claimsJSON: [UInt8]

  /// A profile with every field given.
  public init(
    tenantID: String, identifier: String, username: String, isHomeTenantProfile: Bool,
    claimsJSON: [UInt8]
  ) {
    self.tenantID = tenantID
    self.identifier = identifier
    self.username = username
    self.isHomeTenantProfile = isHomeTenantProfile
    self.claimsJSON = claimsJSON
  }
}
