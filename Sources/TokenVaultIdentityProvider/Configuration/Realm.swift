/// An authority, as the path of a URL names it.
struct Realm: Hashable {
  enum Kind: Hashable {
    case common, organizations, consumers
    case tenant(String)
    case b2c(tenant: String, policy: String, isTFP: Bool)
    /// Entra External ID.
    case external(tenant: String)
    case plain(String)
  }

  let kind: Kind
  /// The part of the URL's path that names the authority, with a leading slash.
  let path: String

  /// Realms with the same value accept each other's refresh tokens: all of Entra, one B2C policy,
  /// or one plain provider.
  var trustDomain: String {
    switch kind {
    case .common, .organizations, .consumers, .tenant: "entra"
    case .b2c(let tenant, let policy, _): "b2c \(tenant) \(policy)"
    case .external(let tenant): "external \(tenant)"
    case .plain(let name): "plain \(name)"
    }
  }

  var isExternal: Bool { if case .external = kind { true } else { false } }

  var isEntra: Bool { trustDomain == "entra" }

  var isPlain: Bool { if case .plain = kind { true } else { false } }

  var policy: String? { if case .b2c(_, let policy, _) = kind { policy } else { nil } }

  func admits(_ user: User) -> Bool {
    switch kind {
    case .common: !user.isB2C
    case .organizations: !user.isB2C && user.tenant != Configuration.consumers
    case .consumers: user.tenant == Configuration.consumers
    case .tenant(let id): !user.isB2C && (user.tenant == id || user.guestIn[id] != nil)
    case .b2c(let id, _, _), .external(let id): user.isB2C && user.tenant == id
    case .plain: !user.isB2C
    }
  }

  /// The tenant that issues a user's tokens in this realm.
  func tenant(for user: User) -> String {
    if case .tenant(let id) = kind { id } else { user.tenant }
  }

  /// The issuer of a user's tokens; without a user, the issuer in the discovery document.
  func issuer(base: String, for user: User?) -> String {
    switch kind {
    case .common, .organizations: "\(base)/\(user?.tenant ?? "{tenantid}")/v2.0"
    case .consumers: "\(base)/\(Configuration.consumers)/v2.0"
    case .tenant(let id): "\(base)/\(id)/v2.0"
    case .b2c(let id, let policy, true): "\(base)/tfp/\(id)/\(policy)/v2.0/"
    case .b2c(let id, _, false): "\(base)/\(id)/v2.0/"
    // Whatever the host, the issuer's host is the tenant's GUID.
    case .external(let id): "https://\(id)\(Configuration.externalSuffix)/\(id)/v2.0"
    case .plain(let name): "\(base)/oidc/\(name)"
    }
  }

  /// Whether the issuer is known before a user signs in, which RFC 9207 requires.
  var hasOneIssuer: Bool { kind != .common && kind != .organizations }
}
