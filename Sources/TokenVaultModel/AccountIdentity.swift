/// MSAL's home account id: who a person is in the tenant they come from.
public struct HomeAccountID: Hashable, Sendable {
  /// The opaque text (`uid.utid` for Microsoft Entra, the subject for other providers).
  public let identifier: String

  /// Any text is a home account id; it is not parsed but by the two properties below.
  public init(_ identifier: String) { self.identifier = identifier }

  private var halves: (Substring, Substring)? {
    // By bytes: it runs several times for each account of a listing.
    let bytes = identifier.utf8
    guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let next = bytes.index(after: dot)
    guard !bytes[next...].contains(UInt8(ascii: ".")) else { return nil }
    return (identifier[..<dot], identifier[next...])
  }

  /// The part before the dot of `uid.utid`; the whole identifier where it has no such form.
  public var objectID: String { halves.map { String($0.0) } ?? identifier }
  /// The part after the dot of `uid.utid`; empty where the identifier has no such form.
  public var tenantID: String { halves.map { String($0.1) } ?? "" }

  /// The tenant that a cache's `realm` means. MSAL for Python, and with it Azure CLI, keeps what
  /// an authority for all tenants gave under that authority's word: it is the home tenant's.
  public func tenant(ofRealm realm: String) -> String {
    let isForAll = ["common", "organizations", "consumers"].contains(realm.lowercased())
    return isForAll && !tenantID.isEmpty ? tenantID : realm
  }

  /// The B2C policy in `<oid>-<policy>.<utid>`, lower case; nil where the object id is not
  /// a GUID with a policy behind it.
  public var policy: String? {
    guard halves != nil else { return nil }
    let object = objectID.utf8
    guard object.count > 37, object.dropFirst(36).first == UInt8(ascii: "-"),
      Self.isGUID(object.prefix(36))
    else { return nil }
    return objectID.dropFirst(37).lowercased()
  }

  /// The same for all policies of one B2C person: the identifier without the policy, lower case.
  public var personIdentifier: String {
    guard policy != nil else { return identifier.lowercased() }
    return (objectID.prefix(36) + "." + tenantID).lowercased()
  }

  fileprivate var hasTenant: Bool {
    let tenant = tenantID.utf8
    return tenant.count == 36 && Self.isGUID(tenant[...])
  }

  private static func isGUID(_ text: Substring.UTF8View) -> Bool {
    text.enumerated().allSatisfy { index, byte in
      switch index {
      case 8, 13, 18, 23: byte == UInt8(ascii: "-")
      default:
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
          || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
      }
    }
  }
}

/// What makes an account this account: the home account id and the environment it lives in.
///
/// Two spellings of a Microsoft account id are one identity, whatever alias of the cloud it was
/// stored under. A subject of another provider keeps its case (OIDC Core section 2: `sub` is
/// case sensitive). Tokens that came without any account are told apart by `orphanClient`.
public struct AccountIdentity: Hashable, Sendable {
  /// The home account id in the form that is compared.
  public let homeAccountID: String
  /// The canonical environment.
  public let environment: String
  /// The client id whose tokens came without an account; empty otherwise.
  public let orphanClient: String

  /// The identity of an account of `authorityType` with this home account id at a host.
  public init(
    homeAccountID: HomeAccountID, environment: String, authorityType: AuthorityType,
    orphanClient: String = ""
  ) {
    let id = homeAccountID.identifier
    self.homeAccountID = authorityType.hasCaseSensitiveSubjects ? id : id.lowercased()
    self.environment = CloudEnvironment.canonical(environment)
    self.orphanClient = id.isEmpty ? orphanClient.lowercased() : ""
  }
}

/// What kind of provider an account comes from, in the words of MSAL's cache.
public enum AuthorityType: Hashable, Sendable, CustomStringConvertible {
  /// Microsoft Entra ID ("MSSTS").
  case entra
  /// Azure AD B2C and other Entra-shaped customer directories; stored as "MSSTS" too, told by host.
  case b2c
  /// AD FS ("ADFS").
  case adfs
  /// Any other OpenID Connect provider ("OIDC").
  case oidc
  /// A password or personal access token stored by `add` ("secret").
  case secret
  /// A word this version does not know, kept as it was.
  case other(String)

  /// The type from a cache's `authority_type` and the account's environment.
  public init(cacheText: String, environment: String) {
    switch cacheText.lowercased() {
    case "mssts", "": self = Self.isCustomerHost(environment) ? .b2c : .entra
    case "adfs": self = .adfs
    case "oidc", "generic": self = .oidc
    case "secret": self = .secret
    default: self = .other(cacheText)
    }
  }

  /// The type of an account in a cache. MSAL for Python writes "MSSTS" for every provider; an id
  /// that is no `uid.utid`, at a host that is none of Microsoft's, is the subject of an OpenID
  /// provider.
  public init(cacheText: String, environment: String, homeAccountID: HomeAccountID) {
    self.init(cacheText: cacheText, environment: environment)
    if self == .entra, !homeAccountID.identifier.isEmpty, !homeAccountID.hasTenant,
      !CloudEnvironment.isKnownCloud(environment)
    {
      self = .oidc
    }
  }

  /// The text for a cache's `authority_type`: other libraries look at accounts of "MSSTS" only.
  public var cacheText: String { self == .oidc ? AuthorityType.entra.description : description }

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

  var hasCaseSensitiveSubjects: Bool {
    switch self {
    case .entra, .b2c: false
    case .adfs, .oidc, .secret, .other: true
    }
  }

  /// B2C and CIAM hosts have no cloud aliases (MSAL's list).
  private static func isCustomerHost(_ host: String) -> Bool {
    CustomerHost.isB2C(host) || CustomerHost.isExternalID(host)
  }
}
