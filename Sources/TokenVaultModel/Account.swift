/// One signed-in (or formerly signed-in) account of a keychain group, as MSAL knows it.
public struct Account: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The home account id's opaque text.
  public var identifier: String { homeAccountID.identifier }
  /// Who the person is in the tenant they come from.
  public let homeAccountID: HomeAccountID
  /// The name shown to people; may be empty.
  public let username: String
  /// The host the account was stored under.
  public let environment: String
  /// The group that holds the account.
  public let group: GroupName
  /// The short name the user gave it.
  public let alias: String?
  /// The tenants the account was seen in, the home tenant first.
  public let tenantProfiles: [TenantProfile]
  /// The clients that hold credentials of it, sorted.
  public let clientIDs: [String]
  /// Whether it is the group's current account.
  public let isCurrent: Bool
  /// Whether some client is signed in to it.
  public let isSignedIn: Bool
  /// What kind of provider it comes from.
  public let authorityType: AuthorityType
  /// When its longest-lived stored access token ends.
  public let accessTokenExpiresOn: Timestamp?
  /// Whether a refresh token is stored.
  public let isRefreshTokenStored: Bool
  /// The stored identity; two `Account` values with the same identity are the same account.
  public let identity: AccountIdentity

  /// Made by the vault from what is stored.
  package init(
    homeAccountID: HomeAccountID, username: String, environment: String, group: GroupName,
    alias: String?, tenantProfiles: [TenantProfile], clientIDs: [String], isCurrent: Bool,
    isSignedIn: Bool, authorityType: AuthorityType, accessTokenExpiresOn: Timestamp?,
    isRefreshTokenStored: Bool, identity: AccountIdentity
  ) {
    self.homeAccountID = homeAccountID
    self.username = username
    self.environment = environment
    self.group = group
    self.alias = alias
    self.tenantProfiles = tenantProfiles
    self.clientIDs = clientIDs
    self.isCurrent = isCurrent
    self.isSignedIn = isSignedIn
    self.authorityType = authorityType
    self.accessTokenExpiresOn = accessTokenExpiresOn
    self.isRefreshTokenStored = isRefreshTokenStored
    self.identity = identity
  }

  /// Names nobody, so that a logged account does not tell who it is.
  public var description: String { "an account of \(group)" }
  /// As ``description``.
  public var debugDescription: String { description }
  /// Shows nothing to `dump` and to the reflection of an error that carries an account.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  /// The B2C policy of the account, lower case; nil for other accounts.
  public var policy: String? { homeAccountID.policy }
  /// The same for every policy account of one B2C person.
  public var personIdentifier: String { homeAccountID.personIdentifier }
}

/// The account in one tenant: MSAL's tenant profile.
public struct TenantProfile: Hashable, Sendable {
  /// The tenant (a GUID, or the first path segment of another provider's token endpoint).
  public var tenantID: String
  /// The account's object id in that tenant (`oid`, else `sub`).
  public var identifier: String
  /// The name in that tenant.
  public var username: String
  /// Whether it is the tenant that the account comes from.
  public var isHomeTenantProfile: Bool
  /// The claims of the tenant's ID token as a JSON object; empty where none is stored.
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
