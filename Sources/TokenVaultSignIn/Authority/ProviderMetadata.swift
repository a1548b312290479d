import TokenVaultModel

/// A provider's discovery document, validated (OIDC Discovery section 4.3, RFC 8414 section 3.3).
package struct ProviderMetadata: Hashable, Sendable {
  /// The provider.
  package let authority: Authority
  /// The issuer; with `{tenantid}` if it is Microsoft Entra's for all tenants.
  package let issuer: String
  /// RFC 6749 section 3.1.
  package let authorizationEndpoint: HTTPURL?
  /// RFC 6749 section 3.2.
  package let tokenEndpoint: HTTPURL
  /// RFC 8628 section 3.1.
  package private(set) var deviceAuthorizationEndpoint: HTTPURL?
  /// RFC 7009 section 2.
  package private(set) var revocationEndpoint: HTTPURL?
  /// OIDC RP-Initiated Logout section 2.1.
  package let endSessionEndpoint: HTTPURL?
  /// OIDC Core section 5.3.
  package private(set) var userInfoEndpoint: HTTPURL?
  /// The page where users manage their accounts (`account_management_uri`).
  package let portalPage: HTTPURL?
  /// RFC 7517.
  package let jwkSetAddress: HTTPURL?
  /// The signature algorithms of its ID tokens; empty if it names none.
  package let idTokenAlgorithms: [String]
  /// Whether its authorization responses contain `iss` (RFC 9207 section 3).
  package let sendsIssuer: Bool
  /// Whether clients may request a refresh token with `offline_access`.
  let supportsOfflineAccess: Bool
  /// Whether its list of PKCE methods lacks S256.
  let refusesS256: Bool
  /// The values of `prompt` that it lists; nil if it has no list.
  package let promptValues: [String]?
  /// What is known about the provider beside its discovery document.
  package private(set) var provider: ProviderDescription?

  /// Parses and validates the discovery document of `authority`.
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
      // No genuine https provider sends its clients to http, on this machine or elsewhere.
      guard address.scheme == "https" || (address.isLoopback && authority.address.isLoopback),
        Self.isInOwnCloud(address, authority)
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
    userInfoEndpoint = try endpoint("userinfo_endpoint")
    // No request goes there, so that a value that is no URL does not matter.
    portalPage = document["account_management_uri"]?.text.flatMap { HTTPURL($0) }
      .flatMap { $0.isConfidential ? $0 : nil }
    jwkSetAddress = try endpoint("jwks_uri")
    idTokenAlgorithms = try list("id_token_signing_alg_values_supported") ?? []
    sendsIssuer = document["authorization_response_iss_parameter_supported"] == .bool(true)
    supportsOfflineAccess = try list("scopes_supported")?.contains("offline_access") ?? true
    refusesS256 = try list("code_challenge_methods_supported").map { !$0.contains("S256") } ?? false
    promptValues = try list("prompt_values_supported")
  }

  /// The metadata of a provider that has no discovery document; nil if it has one.
  init?(_ provider: ProviderDescription, of authority: Authority) {
    guard let tokenEndpoint = provider.tokenEndpoint else { return nil }
    self.authority = authority
    issuer = authority.description
    self.tokenEndpoint = tokenEndpoint
    authorizationEndpoint = provider.authorizationEndpoint
    deviceAuthorizationEndpoint = provider.deviceAuthorizationEndpoint
    revocationEndpoint = provider.revocationEndpoint
    userInfoEndpoint = provider.userEndpoint
    (endSessionEndpoint, portalPage, jwkSetAddress, idTokenAlgorithms) = (nil, nil, nil, [])
    (sendsIssuer, supportsOfflineAccess, refusesS256, promptValues) = (false, false, false, nil)
    self.provider = provider
  }

  /// These metadata with a description, whose endpoints fill the gaps of the discovery document.
  func described(by provider: ProviderDescription?) -> ProviderMetadata {
    guard let provider else { return self }
    var complete = self
    complete.provider = provider
    complete.deviceAuthorizationEndpoint =
      deviceAuthorizationEndpoint ?? provider.deviceAuthorizationEndpoint
    complete.revocationEndpoint = revocationEndpoint ?? provider.revocationEndpoint
    return complete
  }

  /// Whether the provider issues ID tokens.
  var hasIDTokens: Bool { provider?.hasIDTokens ?? true }

  /// These metadata, with the optional endpoints that only `other`, another document of the same
  /// issuer, has.
  func completed(by other: ProviderMetadata) -> ProviderMetadata {
    var complete = self
    complete.deviceAuthorizationEndpoint =
      deviceAuthorizationEndpoint ?? other.deviceAuthorizationEndpoint
    complete.revocationEndpoint = revocationEndpoint ?? other.revocationEndpoint
    complete.userInfoEndpoint = userInfoEndpoint ?? other.userInfoEndpoint
    return complete
  }

  /// The tenant that tokens without a tenant claim are stored under: the first segment of the token
  /// endpoint's path, as in MSAL for Python.
  package var realm: String { tokenEndpoint.segments.first ?? "" }

  /// The authority with the tenant of the issuer.
  var authorityByIssuer: Authority {
    get throws(SignInError) {
      guard let tenant = HTTPURL(issuer)?.segments.first else { return authority }
      return try authority.with(tenant: tenant)
    }
  }

  /// The endpoints of Microsoft's clouds are on hosts of the same cloud.
  private static func isInOwnCloud(_ address: HTTPURL, _ authority: Authority) -> Bool {
    guard authority.kind == .entra, CloudEnvironment.isKnownCloud(authority.environment) else {
      return true
    }
    return CloudEnvironment.same(address.host, authority.environment)
  }

  private static func isIssuer(_ issuer: String, of authority: Authority) -> Bool {
    if authority.kind == .openIDConnect {
      // The provider decides about the trailing slash; its tokens must contain the same text.
      func bare(_ text: String) -> Substring { text.hasSuffix("/") ? text.dropLast() : text[...] }
      return bare(issuer) == bare(authority.description)
    }
    let placeholder = "00000000-0000-0000-0000-000000000000"
    let isTemplate = issuer.contains("{tenantid}")
    guard let address = HTTPURL(issuer.replacing("{tenantid}", with: placeholder)) else {
      return false
    }
    let segments = address.segments
    let isSameServer = authority.isSameServer(as: address)
    // At Entra External ID the issuer's host contains the tenant's GUID in the place of its name.
    let isByGUID =
      address.scheme == "https" && address.port == nil
      && segments.first.map { GUID.isValid($0.utf8) } == true
      && address.host == segments[0].lowercased() + CustomerHost.externalID
    switch authority.kind {
    case .entra:
      // A custom domain of Entra External ID has the issuer of its tenant.
      let isCustomDomain =
        isByGUID && !authority.isForAllTenants
        && !CloudEnvironment.isKnownCloud(authority.environment)
      guard isSameServer || isCustomDomain, segments.count == 2, segments[1] == "v2.0" else {
        return false
      }
      if authority.isForAllTenants { return true }
      // The issuer of a tenant named by its domain contains a GUID that is not known in advance.
      return !isTemplate
        && (!GUID.isValid(authority.tenant.utf8) || equal(segments[0], authority.tenant))
    case .externalID:
      return (isSameServer || isByGUID) && segments.last == "v2.0" && !isTemplate
    case .b2c: return isSameServer && segments.last == "v2.0" && !isTemplate
    case .openIDConnect: return false
    }
  }

  private static func equal(_ left: String, _ right: String) -> Bool {
    CaseFolding.equal(left, right)
  }
}
