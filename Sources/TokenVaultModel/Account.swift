/// One signed-in (or formerly signed-in) account of a keychain group, as MSAL knows it.
public struct Account: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  private struct Fields: Hashable, Sendable {
    let homeAccountID: HomeAccountID
    let username: String
    let environment: String
    let group: GroupName
    let alias: String?
    let tenantProfiles: [TenantProfile]
    let clientIDs: [String]
    let isCurrent: Bool
    let isSignedIn: Bool
    let authorityType: AuthorityType
    let accessTokenExpiresOn: Timestamp?
    let isRefreshTokenStored: Bool
    let issuer: String
    let identity: AccountIdentity
  }

  private final class Content: Hashable, Sendable {
    let fields: Fields
    init(_ fields: Fields) { self.fields = fields }

    static func == (left: Content, right: Content) -> Bool {
      left === right || left.fields == right.fields
    }
    func hash(into hasher: inout Hasher) { fields.hash(into: &hasher) }
  }

  /// One object, so that a list of accounts is sorted and passed on without copying two dozen texts
  /// for each.
  private let content: Content

  /// The home account id's opaque text.
  public var identifier: String { homeAccountID.identifier }
  /// The account's id in its home tenant.
  public var homeAccountID: HomeAccountID { content.fields.homeAccountID }
  /// The user name for display; may be empty.
  public var username: String { content.fields.username }
  /// The host the account was stored under.
  public var environment: String { content.fields.environment }
  /// The group that holds the account.
  public var group: GroupName { content.fields.group }
  /// The short name that the user assigned; nil for none.
  public var alias: String? { content.fields.alias }
  /// The tenants in which the account has signed in, the home tenant first.
  public var tenantProfiles: [TenantProfile] { content.fields.tenantProfiles }
  /// The clients that hold credentials of the account, sorted.
  public var clientIDs: [String] { content.fields.clientIDs }
  /// Whether it is the group's current account.
  public var isCurrent: Bool { content.fields.isCurrent }
  /// Whether at least one client is signed in to it.
  public var isSignedIn: Bool { content.fields.isSignedIn }
  /// The kind of its provider.
  public var authorityType: AuthorityType { content.fields.authorityType }
  /// The latest expiry of its stored access tokens, or that of its stored secret; nil for none.
  public var accessTokenExpiresOn: Timestamp? { content.fields.accessTokenExpiresOn }
  /// Whether a refresh token is stored.
  public var isRefreshTokenStored: Bool { content.fields.isRefreshTokenStored }
  /// The issuer of an account of an OpenID Connect provider other than Microsoft, without a trailing
  /// slash; empty if it is not known, and for all others.
  package var issuer: String { content.fields.issuer }
  /// The stored identity; two `Account` values with the same identity are the same account.
  public var identity: AccountIdentity { content.fields.identity }

  /// An account with every field given; the vault makes it from the stored record.
  package init(
    homeAccountID: HomeAccountID, username: String, environment: String, group: GroupName,
    alias: String?, tenantProfiles: [TenantProfile], clientIDs: [String], isCurrent: Bool,
    isSignedIn: Bool, authorityType: AuthorityType, accessTokenExpiresOn: Timestamp?,
    isRefreshTokenStored: Bool, issuer: String = "", identity: AccountIdentity
  ) {
    content = Content(
      Fields(
        homeAccountID: homeAccountID,
        username: username,
        environment: environment,
        group: group,
        alias: alias,
        tenantProfiles: tenantProfiles,
        clientIDs: clientIDs,
        isCurrent: isCurrent,
        isSignedIn: isSignedIn,
        authorityType: authorityType,
        accessTokenExpiresOn: accessTokenExpiresOn,
        isRefreshTokenStored: isRefreshTokenStored,
        issuer: issuer,
        identity: identity))
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
