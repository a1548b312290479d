/// Selects accounts of a group: an account must meet every condition that is set.
///
/// Comparisons ignore case; an environment matches all aliases of its cloud.
public struct AccountQuery: Hashable, Sendable {
  /// The home account id.
  public var identifier: String?
  /// The user name, in the home tenant or in any tenant profile.
  public var username: String?
  /// The identifier of a tenant profile.
  public var tenantProfileIdentifier: String?
  /// The environment, by any of its aliases.
  public var environment: String?
  /// The B2C policy.
  public var policy: String?
  /// All policy accounts of one B2C user (`Account.personIdentifier`).
  public var personIdentifier: String?
  /// Only accounts that this client holds credentials of.
  public var clientID: String?
  /// nil for all, true for signed-in accounts only, false for signed-out ones only.
  public var signedIn: Bool?

  /// Every account of the group.
  public static let all = AccountQuery()

  /// A query with the conditions given.
  public init(
    identifier: String? = nil, username: String? = nil, tenantProfileIdentifier: String? = nil,
    environment: String? = nil, policy: String? = nil, personIdentifier: String? = nil,
    clientID: String? = nil, signedIn: Bool? = nil
  ) {
    self.identifier = identifier
    self.username = username
    self.tenantProfileIdentifier = tenantProfileIdentifier
    self.environment = environment
    self.policy = policy
    self.personIdentifier = personIdentifier
    self.clientID = clientID
    self.signedIn = signedIn
  }

  /// Whether the account meets every condition.
  package func matches(_ account: Account) -> Bool {
    let equal = CaseFolding.equal
    return identifier.map { equal($0, account.identifier) } ?? true
      && username.map { name in
        equal(name, account.username)
          || account.tenantProfiles.contains { equal(name, $0.username) }
      } ?? true
      && tenantProfileIdentifier.map { id in
        account.tenantProfiles.contains { equal(id, $0.identifier) }
      } ?? true
      && environment.map { CloudEnvironment.same($0, account.environment) } ?? true
      && policy.map { wanted in account.policy.map { equal(wanted, $0) } ?? false } ?? true
      && personIdentifier.map { equal($0, account.personIdentifier) } ?? true
      && clientID.map { id in account.clientIDs.contains { equal(id, $0) } } ?? true
      && signedIn.map { $0 == account.isSignedIn } ?? true
  }
}
