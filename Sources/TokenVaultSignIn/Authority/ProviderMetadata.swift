import TokenVaultModel

/// A provider's description of itself, checked before anybody gets to see it (OIDC Discovery
/// section 4.3, RFC 8414 section 3.3).
public struct ProviderMetadata: Hashable, Sendable {
  /// Who it describes.
  public let authority: Authority
  /// The issuer; for all tenants of Microsoft Entra it has `{tenantid}` in it.
  public let issuer: String
  /// RFC 6749 section 3.1.
  public let authorizationEndpoint: HTTPURL?
  /// RFC 6749 section 3.2.
  public let tokenEndpoint: HTTPURL
  /// RFC 8628 section 3.1.
  public let deviceAuthorizationEndpoint: HTTPURL?
  /// RFC 7009 section 2.
  public let revocationEndpoint: HTTPURL?
  /// OIDC RP-Initiated Logout section 2.1.
  public let endSessionEndpoint: HTTPURL?
  /// RFC 7517.
  public let keySetAddress: HTTPURL?
  /// The algorithms of its ID tokens; empty where it names none.
  public let idTokenAlgorithms: [String]
  /// Whether it sends `iss` with the authorization answer (RFC 9207 section 3).
  public let sendsIssuer: Bool
  /// Whether a client may ask for refresh tokens by `offline_access`.
  let knowsOfflineAccess: Bool
  /// Whether it says that PKCE with S256 is not among what it knows.
  let refusesS256: Bool

  /// Reads and checks the bytes of a description of `authority`.
  /// - Throws: ``SignInError/badDiscovery(_:)``.
  package init(json: [UInt8], of authority: Authority) throws(SignInError) {
    let document: JSONValue
    do { document = try JSONValue(parsing: json) } catch { throw .badDiscovery(.notJSON) }
    guard document.members != nil else { throw .badDiscovery(.notJSON) }
    try self.init(document, of: authority)
  }

  private init(_ document: JSONValue, of authority: Authority) throws(SignInError) {
    func text(_ name: String) throws(SignInError) -> String? {
      guard let value = document[name], value != .null else { return nil }
      guard let text = value.text, text.utf8.count <= 2048 else {
        throw .badDiscovery(.field(name))
      }
      return text
    }
    func endpoint(_ name: String) throws(SignInError) -> HTTPURL? {
      guard let text = try text(name) else { return nil }
      guard let address = HTTPURL(text) else { throw .badDiscovery(.endpoint(name)) }
      // An https provider that sends its client to http, here or elsewhere, is not this provider.
      guard address.scheme == "https" || (address.isLoopback && authority.address.isLoopback),
        Self.isAtHome(address, authority)
      else { throw .badDiscovery(.endpoint(name)) }
      return address
    }
    func list(_ name: String) throws(SignInError) -> [String]? {
      guard let value = document[name], value != .null else { return nil }
      guard let elements = value.elements else { throw .badDiscovery(.field(name)) }
      return elements.compactMap(\.text)
    }
    guard let issuer = try text("issuer") else { throw .badDiscovery(.field("issuer")) }
    guard Self.isIssuer(issuer, of: authority) else { throw .badDiscovery(.issuer) }
    guard let tokenEndpoint = try endpoint("token_endpoint") else {
      throw .badDiscovery(.field("token_endpoint"))
    }
    self.authority = authority
    self.issuer = issuer
    self.tokenEndpoint = tokenEndpoint
    authorizationEndpoint = try endpoint("authorization_endpoint")
    deviceAuthorizationEndpoint = try endpoint("device_authorization_endpoint")
    revocationEndpoint = try endpoint("revocation_endpoint")
    endSessionEndpoint = try endpoint("end_session_endpoint")
    keySetAddress = try endpoint("jwks_uri")
    idTokenAlgorithms = try list("id_token_signing_alg_values_supported") ?? []
    sendsIssuer = document["authorization_response_iss_parameter_supported"] == .bool(true)
    knowsOfflineAccess = try list("scopes_supported")?.contains("offline_access") ?? true
    refusesS256 = try list("code_challenge_methods_supported").map { !$0.contains("S256") } ?? false
  }

  /// The tenant that tokens without a tenant claim are stored under: the first segment of the
  /// token endpoint's path, as MSAL for Python has it.
  package var realm: String { tokenEndpoint.segments.first ?? "" }

  /// The authority with the tenant that the issuer has.
  var authorityByIssuer: Authority {
    get throws(SignInError) {
      guard let tenant = HTTPURL(issuer)?.segments.first else { return authority }
      return try authority.with(tenant: tenant)
    }
  }

  /// Microsoft's clouds serve their endpoints themselves.
  private static func isAtHome(_ address: HTTPURL, _ authority: Authority) -> Bool {
    guard authority.kind == .entra, CloudEnvironment.isKnownCloud(authority.environment) else {
      return true
    }
    return CloudEnvironment.same(address.host, authority.environment)
  }

  private static func isIssuer(_ issuer: String, of authority: Authority) -> Bool {
    if authority.kind == .openIDConnect {
      // A provider's own spelling of the last slash counts, and is what its tokens must say.
      func bare(_ text: String) -> Substring { text.hasSuffix("/") ? text.dropLast() : text[...] }
      return bare(issuer) == bare(authority.description)
    }
    let placeholder = "00000000-0000-0000-0000-000000000000"
    let isTemplate = issuer.contains("{tenantid}")
    guard let address = HTTPURL(issuer.replacing("{tenantid}", with: placeholder)) else {
      return false
    }
    let segments = address.segments
    let isSameServer =
      address.origin == authority.address.origin
      || (address.scheme == "https" && authority.address.scheme == "https"
        && CloudEnvironment.isKnownCloud(address.host)
        && CloudEnvironment.same(address.host, authority.environment))
    switch authority.kind {
    case .entra:
      guard isSameServer, segments.count == 2, segments[1] == "v2.0" else { return false }
      if authority.isForAllTenants { return true }
      // A domain's issuer has the tenant's GUID, which is not known before.
      return !isTemplate && (!isGUID(authority.tenant) || equal(segments[0], authority.tenant))
    case .externalID:
      // The issuer's host has the tenant's GUID in the place of its name.
      let isByGUID =
        address.scheme == "https" && segments.first.map(isGUID) == true
        && address.host == "\(segments[0].lowercased()).ciamlogin.com"
      return (isSameServer || isByGUID) && segments.last == "v2.0" && !isTemplate
    case .b2c: return isSameServer && segments.last == "v2.0" && !isTemplate
    case .openIDConnect: return false
    }
  }

  private static func equal(_ left: String, _ right: String) -> Bool {
    CaseFolding.equal(left, right)
  }

  static func isGUID(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.joined().allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20)
      }
  }
}
