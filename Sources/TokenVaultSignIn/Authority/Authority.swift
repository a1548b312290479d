public import TokenVaultModel

/// Who is asked to sign people in, told by a URL.
///
/// | URL | kind |
/// | --- | --- |
/// | a host of a Microsoft cloud, one path segment | Microsoft Entra |
/// | `https://NAME.ciamlogin.com[/TENANT]` | Entra External ID |
/// | `https://HOST/tfp/TENANT/POLICY`, `/TENANT/POLICY` at `*.b2clogin.*` or with a policy that begins with `b2c_` | Azure AD B2C |
/// | any other that ends in `/v2.0` | Microsoft Entra at that host |
/// | any other | OpenID Connect by its discovery document; the URL is the issuer |
public struct Authority: Hashable, Sendable, CustomStringConvertible {
  /// How the provider is spoken to.
  public enum Kind: Hashable, Sendable {
    /// Microsoft Entra ID.
    case entra
    /// Entra External ID.
    case externalID
    /// Azure AD B2C with one policy, in the case it was given.
    case b2c(policy: String)
    /// OpenID Connect Discovery.
    case openIDConnect
  }

  /// Who may sign in at Microsoft Entra (MSAL's audience types).
  public enum Audience: Hashable, Sendable {
    /// Work, school and personal accounts: `common`.
    case entraAndPersonal
    /// Work and school accounts of any tenant: `organizations`.
    case multipleOrganizations
    /// Personal accounts: `consumers`.
    case personal
    /// One tenant, by its GUID or domain.
    case tenant(String)

    fileprivate var segment: String {
      switch self {
      case .entraAndPersonal: "common"
      case .multipleOrganizations: "organizations"
      case .personal: "consumers"
      case .tenant(let tenant): tenant
      }
    }
  }

  /// The Microsoft clouds, by the host that signs in (MSAL's cloud instances).
  public enum Cloud: String, Hashable, Sendable, CaseIterable {
    case `public` = "login.microsoftonline.com"
    case china = "login.partner.microsoftonline.cn"
    case germany = "login.microsoftonline.de"
    case usGovernment = "login.microsoftonline.us"
    case france = "login.sovcloud-identity.fr"
    case delos = "login.sovcloud-identity.de"
    case singapore = "login.sovcloud-identity.sg"
  }

  /// How the provider is spoken to.
  public let kind: Kind
  /// The URL, without `/v2.0` and a last slash for the kinds of Microsoft.
  public let address: HTTPURL

  /// Reads a URL.
  /// - Throws: ``SignInError/invalidAuthority``, ``SignInError/unsupportedAuthority`` for AD FS.
  public init(_ text: String) throws(SignInError) {
    guard var address = HTTPURL(text), address.query == nil, address.isConfidential else {
      throw .invalidAuthority
    }
    var segments = address.segments
    let isVersioned = segments.last == "v2.0"
    if isVersioned { segments.removeLast() }
    if segments.first?.lowercased() == "adfs" { throw .unsupportedAuthority }
    if let kind = try Self.customerKind(address.host, segments) {
      self.kind = kind
      if segments.isEmpty, let name = address.host.split(separator: ".").first {
        segments = ["\(name).onmicrosoft.com"]
      }
    } else if isVersioned || CloudEnvironment.isKnownCloud(address.host) {
      guard segments.count == 1 else { throw .invalidAuthority }
      kind = .entra
    } else {
      kind = .openIDConnect
      self.address = address
      return
    }
    address.path = "/" + segments.joined(separator: "/")
    self.address = address
  }

  /// Microsoft Entra in a cloud, for an audience.
  /// - Throws: ``SignInError/invalidAuthority`` for a tenant that is no GUID and no domain.
  public static func entra(
    _ audience: Audience, in cloud: Cloud = .public
  ) throws(SignInError) -> Authority {
    guard !audience.segment.contains("/") else { throw .invalidAuthority }
    return try Authority("https://\(cloud.rawValue)/\(audience.segment)")
  }

  private static func customerKind(
    _ host: String, _ segments: [String]
  ) throws(SignInError) -> Kind? {
    if host.hasSuffix(".ciamlogin.com") {
      guard segments.count <= 1 else { throw .invalidAuthority }
      return .externalID
    }
    if segments.first?.lowercased() == "tfp" {
      guard segments.count == 3 else { throw .invalidAuthority }
      return .b2c(policy: segments[2])
    }
    let isB2CHost = [".b2clogin.com", ".b2clogin.cn", ".b2clogin.us", ".b2clogin.de"]
      .contains { host.hasSuffix($0) }
    if segments.count == 2, isB2CHost || segments[1].lowercased().hasPrefix("b2c_") {
      return .b2c(policy: segments[1])
    }
    if isB2CHost { throw .invalidAuthority }
    return nil
  }

  /// The URL's text.
  public var description: String { address.description }

  /// The host that accounts are stored under; the port is left out, as MSAL does.
  public var environment: String { address.host }

  /// The tenant of the path; empty for a provider that is none of Microsoft's.
  public var tenant: String {
    switch kind {
    case .entra, .externalID: address.segments.first ?? ""
    case .b2c: address.segments.dropLast().last ?? ""
    case .openIDConnect: ""
    }
  }

  /// Whether it stands for every tenant, so that the token says whose it is.
  public var isForAllTenants: Bool {
    kind == .entra && ["common", "organizations", "consumers"].contains(tenant.lowercased())
  }

  /// The GUID of its one tenant; nil where it names none, or names it by a domain.
  package var tenantID: String? {
    kind == .entra && ProviderMetadata.isGUID(tenant) ? tenant : nil
  }

  var namesDomain: Bool { kind == .entra && !isForAllTenants && tenantID == nil }

  /// Whether what one issued may be sent to the other: aliases of one cloud, or one server.
  package func isSameServer(as other: Authority) -> Bool {
    address.origin == other.address.origin
      || (address.scheme == "https" && other.address.scheme == "https"
        && CloudEnvironment.isKnownCloud(environment)
        && CloudEnvironment.same(environment, other.environment))
  }

  /// Whether the provider speaks Microsoft's additions: `client_info`, families of clients.
  public var isMicrosoft: Bool { kind != .openIDConnect }

  /// Whether it is one of Microsoft's own services, none of which has an endpoint of RFC 7009.
  package var isWithoutRevocation: Bool {
    let customers = [".ciamlogin.com", ".b2clogin.com", ".b2clogin.cn", ".b2clogin.us"]
    return CloudEnvironment.isKnownCloud(address.host)
      || customers.contains { address.host.hasSuffix($0) }
  }

  /// The type that its accounts are stored under.
  public var authorityType: AuthorityType {
    switch kind {
    case .entra: .entra
    case .b2c, .externalID: .b2c
    case .openIDConnect: .oidc
    }
  }

  /// The same authority for one tenant; others than Microsoft Entra have none to change.
  public func with(tenant: String) throws(SignInError) -> Authority {
    guard kind == .entra else { return self }
    guard !tenant.isEmpty, !tenant.contains("/") else { throw .invalidRequest(.tenant) }
    guard CloudEnvironment.isKnownCloud(address.host) else {
      return try Authority("\(address.origin)/\(tenant)/v2.0")
    }
    return try Authority("\(address.origin)/\(tenant)")
  }

  /// The text that makes the same authority again, whatever its host.
  public var url: String {
    switch kind {
    case .entra where !CloudEnvironment.isKnownCloud(address.host): description + "/v2.0"
    default: description
    }
  }

  /// Where its description is found (OIDC Discovery section 4, RFC 8414 section 3.1), in the order
  /// of trying.
  var discoveryAddresses: [HTTPURL] {
    let wellKnown = "/.well-known/openid-configuration"
    var base = address
    switch kind {
    case .entra, .externalID, .b2c:
      base.path += "/v2.0" + wellKnown
      return [base]
    case .openIDConnect:
      while base.path.hasSuffix("/") { base.path.removeLast() }
      var metadata = base
      metadata.path = "/.well-known/oauth-authorization-server" + base.path
      base.path += wellKnown
      return [base, metadata]
    }
  }
}
