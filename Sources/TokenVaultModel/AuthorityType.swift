/// The kind of an account's provider, with the names that MSAL's cache uses.
public enum AuthorityType: Hashable, Sendable, CustomStringConvertible {
  /// Microsoft Entra ID ("MSSTS").
  case entra
  /// Azure AD B2C and Entra External ID; also stored as "MSSTS", and recognised by the host.
  case b2c
  /// AD FS ("ADFS").
  case adfs
  /// Any other OpenID Connect provider ("OIDC").
  case oidc
  /// A password or personal access token stored by `add` ("secret").
  case secret
  /// A type that this version does not know, kept unchanged.
  case other(String)

  /// The type from a cache's `authority_type` and the account's environment.
  package init(cacheText: String, environment: String) {
    // Nearly every account has the first text, which is not folded here.
    switch cacheText == "MSSTS" ? "mssts" : cacheText.lowercased() {
    case "mssts", "":
      let isForCustomers = CustomerHost.isB2C(environment) || CustomerHost.isExternalID(environment)
      self = isForCustomers ? .b2c : .entra
    case "adfs": self = .adfs
    case "oidc", "generic": self = .oidc
    case "secret": self = .secret
    default: self = .other(cacheText)
    }
  }

  /// The type of an account in a cache. MSAL for Python writes "MSSTS" for every provider; an id that
  /// is not a `uid.utid`, at a host that is not Microsoft's, is the subject of an OpenID Connect
  /// provider.
  package init(cacheText: String, environment: String, homeAccountID: HomeAccountID) {
    self.init(cacheText: cacheText, environment: environment)
    if self == .entra, !homeAccountID.identifier.isEmpty, !homeAccountID.hasTenant,
      !CloudEnvironment.isKnownCloud(environment)
    {
      self = .oidc
    }
  }

  /// The text for a cache's `authority_type`: other libraries only read accounts of "MSSTS".
  package var cacheText: String { self == .oidc ? AuthorityType.entra.description : description }

  /// The text for JSON.
  public var description: String {
    switch self {
    case .entra, .b2c: "MSSTS"
    case .adfs: "ADFS"
    case .oidc: "OIDC"
    case .secret: "secret"
    case .other(let text): text
    }
  }

  /// Whether two ids that differ only in case are two accounts.
  package var hasCaseSensitiveSubjects: Bool {
    switch self {
    case .entra, .b2c: false
    case .adfs, .oidc, .secret, .other: true
    }
  }
}
