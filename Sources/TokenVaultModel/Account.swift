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
