/// One signed-in (or formerly signed-in) account of a keychain group, as MSAL knows it.
public struct Account: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The home account id's opaque text.
  public var identifier: String { homeAccountID.identifier }
  /// The account's id in its home tenant.
  public let homeAccountID: HomeAccountID
  /// The user name for display; may be empty.
  public let username: String
  /// The host the account was stored under.
  public let environment: String
  /// The group that holds the account.
  public let group: GroupName
  /// The short name that the user assigned; nil for none.
  public let alias: String?
  /// The tenants in which the account has signed in, the home tenant first.
  public let tenantProfiles: [TenantProfile]
  /// The clients that hold credentials of the account, sorted.
  public let clientIDs: [String]
  /// Whether it is the group's current account.
  public let isCurrent: Bool
  /// Whether at least one client is signed in to it.
  public let isSignedIn: Bool
  /// The kind of its provider.
  public let authorityType: AuthorityType
  /// The latest expiry of its stored access tokens, or that of its stored secret; nil for none.
  public let accessTokenExpiresOn: Timestamp?
  /// Whether a refresh token is stored.
  public let isRefreshTokenStored: Bool
  /// The issuer of an account of an OpenID Connect provider other than Microsoft, without a trailing
  /// slash; empty if it is not known, and for all others.
  package let issuer: String
  /// The stored identity; two `Account` values with the same identity are the same account.
  public let identity: AccountIdentity

  /// An account with every field given; the vault makes it from the stored record.
  package init(
    homeAccountID: HomeAccountID, username: String, environment: String, group: GroupName,
    alias: String?, tenantProfiles: [TenantProfile], clientIDs: [String], isCurrent: Bool,
    isSignedIn: Bool, authorityType: AuthorityType, accessTokenExpiresOn: Timestamp?,
    isRefreshTokenStored: Bool, issuer: String = "", identity: AccountIdentity
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
    self.issuer = issuer
    self.identity = identity
  }

  /// Names only the group, so that logging an account does not identify the user.
  public var description: String { "an account of \(group)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Hides the account from `dump` and from the reflection of an error that carries one.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  /// The B2C policy of the account, lower case; nil for other accounts.
  public var policy: String? { homeAccountID.policy }
  /// An identifier that all policy accounts of one B2C user share.
  public var personIdentifier: String { homeAccountID.personIdentifier }
}
