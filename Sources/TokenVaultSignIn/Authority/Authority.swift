package import TokenVaultModel

/// A provider that signs users in, identified by its URL.
///
/// ```swift
/// let everyone = try Authority.entra(.entraAndPersonal)
/// let provider = try Authority("https://login.example.com/realms/main")
/// ```
///
/// | URL | kind |
/// | --- | --- |
/// | a host of a Microsoft cloud and one path segment | Microsoft Entra |
/// | `https://NAME.ciamlogin.com[/TENANT]` | Entra External ID |
/// | `https://HOST/tfp/TENANT/POLICY`, `/TENANT/POLICY` at `*.b2clogin.*` or with a policy that begins with `b2c_` | Azure AD B2C |
/// | any other URL that ends in `/v2.0` | Microsoft Entra at that host |
/// | any other URL | OpenID Connect with a discovery document; the URL is the issuer |
public struct Authority: Hashable, Sendable, CustomStringConvertible {
  /// The protocol variant that the provider speaks.
  package enum Kind: Hashable, Sendable {
    /// Microsoft Entra ID.
    case entra
    /// Entra External ID.
    case externalID
    /// Azure AD B2C with one policy, in its original case.
    case b2c(policy: String)
    /// OpenID Connect Discovery.
    case openIDConnect
  }

  /// The accounts that may sign in at Microsoft Entra (MSAL's audience types).
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

  /// A Microsoft cloud, identified by its sign-in host (MSAL's cloud instances).
  public enum Cloud: String, Hashable, Sendable, CaseIterable {
    case `public` = "login.microsoftonline.com"
    case china = "login.partner.microsoftonline.cn"
    case germany = "login.microsoftonline.de"
    case usGovernment = "login.microsoftonline.us"
    case france = "login.sovcloud-identity.fr"
    case delos = "login.sovcloud-identity.de"
    case singapore = "login.sovcloud-identity.sg"
  }

  /// The protocol variant.
  package let kind: Kind
  /// The URL; for Microsoft's kinds without `/v2.0` and trailing slash.
  package let address: HTTPURL

  /// Parses a URL.
  /// - Throws: ``SignInError/invalidAuthority``; ``SignInError/unsupportedAuthority`` for AD FS.
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
  /// - Throws: ``SignInError/invalidAuthority`` for a tenant that is neither a GUID nor a domain.
  public static func entra(
    _ audience: Audience, in cloud: Cloud = .public
  ) throws(SignInError) -> Authority {
    guard !audience.segment.contains("/") else { throw .invalidAuthority }
    return try Authority("https://\(cloud.rawValue)/\(audience.segment)")
  }

  private static func customerKind(
    _ host: String, _ segments: [String]
  ) throws(SignInError) -> Kind? {
    if CustomerHost.isExternalID(host) {
      guard segments.count <= 1 else { throw .invalidAuthority }
      return .externalID
    }
    if segments.first?.lowercased() == "tfp" {
      guard segments.count == 3 else { throw .invalidAuthority }
      return .b2c(policy: segments[2])
    }
    let isB2CHost = CustomerHost.isB2C(host)
    if segments.count == 2, isB2CHost || segments[1].lowercased().hasPrefix("b2c_") {
      return .b2c(policy: segments[1])
    }
    if isB2CHost { throw .invalidAuthority }
    return nil
  }

  /// The URL's text.
  public var description: String { address.description }

  /// The host that accounts are stored under, without the port, as in MSAL.
  public var environment: String { address.host }

  /// The tenant in the path; empty for a third-party provider.
  package var tenant: String {
    switch kind {
    case .entra, .externalID: address.segments.first ?? ""
    case .b2c: address.segments.dropLast().last ?? ""
    case .openIDConnect: ""
    }
  }

  /// Whether the authority stands for all tenants. The token then names the tenant.
  package var isForAllTenants: Bool {
    kind == .entra && ["common", "organizations", "consumers"].contains(tenant.lowercased())
  }

  /// The GUID of the tenant; nil if the authority names no single tenant, or names it by a domain.
  package var tenantID: String? {
    kind == .entra && GUID.isValid(tenant.utf8) ? tenant : nil
  }

  var namesDomain: Bool { kind == .entra && !isForAllTenants && tenantID == nil }

  /// Whether tokens issued by one may be sent to the other: both are on one server, or on aliases
  /// of one cloud.
  package func isSameServer(as other: Authority) -> Bool { isSameServer(as: other.address) }

  func isSameServer(as other: HTTPURL) -> Bool { address.server == other.server }

  /// Whether the provider supports Microsoft's extensions: `client_info` and client families.
  package var isMicrosoft: Bool { kind != .openIDConnect }

  /// Whether it is one of Microsoft's own services. None of them has a revocation endpoint (RFC
  /// 7009).
  package var isWithoutRevocation: Bool {
    CloudEnvironment.isKnownCloud(address.host) || CustomerHost.isB2C(address.host)
      || CustomerHost.isExternalID(address.host)
  }

  /// The type that accounts of this authority are stored with.
  package var authorityType: AuthorityType {
    switch kind {
    case .entra: .entra
    case .b2c, .externalID: .b2c
    case .openIDConnect: .oidc
    }
  }

  /// The same authority for one tenant. Only Microsoft Entra's change; others are returned
  /// unchanged.
  /// - Throws: ``SignInError/invalidRequest(_:)`` for an empty tenant, or one with a slash.
  public func with(tenant: String) throws(SignInError) -> Authority {
    guard kind == .entra else { return self }
    guard !tenant.isEmpty, !tenant.contains("/") else { throw .invalidRequest(.tenant) }
    guard CloudEnvironment.isKnownCloud(address.host) else {
      return try Authority("\(address.origin)/\(tenant)/v2.0")
    }
    return try Authority("\(address.origin)/\(tenant)")
  }

  /// The URL that parses to this authority again.
  public var url: String {
    switch kind {
    case .entra where !CloudEnvironment.isKnownCloud(address.host): description + "/v2.0"
    default: description
    }
  }

  /// The URLs of the discovery document (OIDC Discovery section 4, RFC 8414 section 3.1), in the
  /// order to try them.
  var discoveryAddresses: [HTTPURL] {
    let wellKnown = "/.well-known/openid-configuration"
    var base = address
    switch kind {
    case .entra, .externalID, .b2c:
      base.path += "/v2.0" + wellKnown
      return [base]
    case .openIDConnect:
      while base.path.hasSuffix("/") { base.path.removeLast() }
      base.path += wellKnown
      return [base] + (serverMetadataAddress.map { [$0] } ?? [])
    }
  }

  /// The URL of the authorization server metadata (RFC 8414 section 3.1), which may name endpoints
  /// that the discovery document of OpenID Connect lacks. Nil for Microsoft's kinds, which have none.
  var serverMetadataAddress: HTTPURL? {
    guard kind == .openIDConnect else { return nil }
    var base = address
    while base.path.hasSuffix("/") { base.path.removeLast() }
    base.path = "/.well-known/oauth-authorization-server" + base.path
    return base
  }
}
