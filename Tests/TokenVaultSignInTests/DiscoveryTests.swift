import Testing
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVaultSignIn

/// Discovery documents, valid and invalid.
@Suite(.timeLimit(.minutes(5))) struct DiscoveryTests {
  private static let entra = "https://login.microsoftonline.com"
  private static let guid = "c0000000-0000-4000-8000-00000000c001"

  private func metadata(
    _ document: JSONValue, of authority: String, status: Int = 200
  ) throws -> ProviderMetadata {
    try ProviderDirectory(transport: ScriptedProvider(status: status, document))
      .metadata(of: try Authority(authority), Cancellation())
  }

  private func entra(_ issuer: String, host: String = entra) -> JSONValue {
    .texts([
      "issuer": issuer, "token_endpoint": host + "/common/oauth2/v2.0/token",
      "authorization_endpoint": host + "/common/oauth2/v2.0/authorize",
    ])
  }

  @Test func aValidDocumentIsFetchedOnce() throws {
    let provider = ScriptedProvider(TokenVaultSignInTests.description)
    let directory = ProviderDirectory(transport: provider)
    let authority = try Authority("https://id.example")
    for _ in 0..<3 { _ = try directory.metadata(of: authority, Cancellation()) }
    #expect(
      provider.requests.map(\.address.description) == [
        "https://id.example/.well-known/openid-configuration"
      ])
    #expect(provider.requests.first?.method == "GET")
  }

  @Test(
    .parity("MSALInternalErrorFailedAuthorityValidation -42010"),
    arguments: [
      ("issuer", JSONValue?.none, SignInError.DiscoveryFault.field("issuer")),
      ("issuer", .number("1"), .field("issuer")), ("issuer", .array([]), .field("issuer")),
      ("issuer", .string("https://evil.example"), .issuer),
      ("issuer", .string("https://id.example.evil.example"), .issuer),
      ("issuer", .string("http://id.example"), .issuer),
      ("issuer", .string("https://id.example/other"), .issuer),
      ("issuer", .string("https://ID.example"), .issuer),
      ("token_endpoint", nil, .field("token_endpoint")),
      ("token_endpoint", .object([]), .field("token_endpoint")),
      ("token_endpoint", .string("http://id.example/token"), .endpoint("token_endpoint")),
      ("token_endpoint", .string("http://127.0.0.1/token"), .endpoint("token_endpoint")),
      ("token_endpoint", .string("/token"), .endpoint("token_endpoint")),
      (
        "authorization_endpoint", .string("javascript:alert(1)"),
        .endpoint("authorization_endpoint")
      ),
      (
        "authorization_endpoint", .string("http://id.example/a"),
        .endpoint("authorization_endpoint")
      ),
      ("jwks_uri", .string("file:///etc/passwd"), .endpoint("jwks_uri")),
      ("revocation_endpoint", .string("http://id.example/r"), .endpoint("revocation_endpoint")),
      ("end_session_endpoint", .string("http://id.example/r"), .endpoint("end_session_endpoint")),
      (
        "device_authorization_endpoint", .string("https://user@id.example/"),
        .endpoint("device_authorization_endpoint")
      ),
      ("scopes_supported", .string("openid"), .field("scopes_supported")),
      (
        "id_token_signing_alg_values_supported", .object([]),
        .field("id_token_signing_alg_values_supported")
      ),
    ])
  func rfc8414_section3_3_anInvalidDocumentIsRefusedAndNotKept(
    name: String, value: JSONValue?, fault: SignInError.DiscoveryFault
  ) throws {
    let document = TokenVaultSignInTests.description.with([name: value])
    let provider = ScriptedProvider(document)
    let directory = ProviderDirectory(transport: provider)
    let authority = try Authority("https://id.example")
    for count in 1...2 {
      #expect(throws: SignInError.badDiscovery(fault)) {
        try directory.metadata(of: authority, Cancellation())
      }
      #expect(provider.requests.count == count)
      #expect(directory.resolvedIfKnown(authority) == authority)
    }
  }

  @Test func rfc8414_section3_1_theSecondURLIsTriedAfter404Only() throws {
    let metadata = TokenVaultSignInTests.description.with([
      "issuer": .string("https://id.example/one")
    ])
    let provider = ScriptedProvider { request in
      request.address.path.hasPrefix("/.well-known/oauth-authorization-server")
        ? HTTPResponse(status: 200, body: metadata.bytes) : HTTPResponse(status: 404)
    }
    let found = try ProviderDirectory(transport: provider)
      .metadata(of: try Authority("https://id.example/one"), Cancellation())
    #expect(found.tokenEndpoint.description == "https://id.example/token")
    #expect(
      provider.requests.map(\.address.path) == [
        "/one/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/one",
      ])
    for status in [301, 302, 307, 400, 403, 429, 500, 503] {
      let other = ScriptedProvider(status: status, metadata)
      #expect(throws: SignInError.badDiscovery(.status(status))) {
        try ProviderDirectory(transport: other)
          .metadata(of: try Authority("https://id.example/one"), Cancellation())
      }
      #expect(other.requests.count == 1)
    }
    #expect(throws: SignInError.badDiscovery(.status(404))) {
      try self.metadata(metadata, of: "https://id.example/one", status: 404)
    }
  }

  @Test func aDocumentThatIsNoJSONObjectIsRefused() {
    for body in ["", "[]", "null", "<html></html>", "{\"issuer\":"] {
      let provider = ScriptedProvider { _ in HTTPResponse(status: 200, body: Array(body.utf8)) }
      #expect(throws: SignInError.badDiscovery(.notJSON)) {
        try ProviderDirectory(transport: provider)
          .metadata(of: try Authority("https://id.example"), Cancellation())
      }
    }
  }

  @Test func anIssuerForAllTenantsIsRefusedForASingleTenant() throws {
    let template = Self.entra + "/{tenantid}/v2.0"
    for tenant in ["common", "organizations", "consumers"] {
      #expect(
        try metadata(entra(template), of: "\(Self.entra)/\(tenant)").issuer == template)
    }
    #expect(throws: SignInError.badDiscovery(.issuer)) {
      try metadata(entra(template), of: "\(Self.entra)/\(Self.guid)")
    }
  }

  @Test func aTenantsIssuerMustContainItsGUID() throws {
    let own = "\(Self.entra)/\(Self.guid)/v2.0"
    _ = try metadata(entra(own), of: "\(Self.entra)/\(Self.guid.uppercased())")
    let byDomain = try metadata(entra(own), of: "\(Self.entra)/contoso.com")
    #expect(try byDomain.authorityByIssuer.tenantID == Self.guid)
    let other = own.replacing("c001", with: "c002")
    #expect(throws: SignInError.badDiscovery(.issuer)) {
      try metadata(entra(other), of: "\(Self.entra)/\(Self.guid)")
    }
    // An alias of the same cloud is accepted, another cloud is not.
    _ = try metadata(
      entra("https://login.windows.net/\(Self.guid)/v2.0"), of: "\(Self.entra)/\(Self.guid)")
    #expect(throws: SignInError.badDiscovery(.issuer)) {
      try metadata(
        entra("https://login.microsoftonline.us/\(Self.guid)/v2.0"),
        of: "\(Self.entra)/\(Self.guid)")
    }
  }

  @Test func endpointsOutsideTheCloudAreRefused() throws {
    let template = Self.entra + "/{tenantid}/v2.0"
    for host in ["https://evil.example", "https://login.microsoftonline.us"] {
      #expect(throws: SignInError.badDiscovery(.endpoint("token_endpoint"))) {
        try metadata(entra(template, host: host), of: Self.entra + "/common")
      }
    }
  }

  @Test func aTenantsDomainIsResolvedOnceAndOthersNeedNoRequest() throws {
    let provider = ScriptedProvider(entra("\(Self.entra)/\(Self.guid)/v2.0"))
    let directory = ProviderDirectory(transport: provider)
    let domain = try Authority("\(Self.entra)/contoso.com")
    #expect(directory.resolvedIfKnown(domain) == nil)
    #expect(try directory.resolved(domain, Cancellation()).tenantID == Self.guid)
    #expect(directory.resolvedIfKnown(domain)?.tenantID == Self.guid)
    #expect(provider.requests.count == 1)
    for other in ["\(Self.entra)/common", "\(Self.entra)/\(Self.guid)", "https://id.example"] {
      let authority = try Authority(other)
      #expect(directory.resolvedIfKnown(authority) == authority)
    }
  }
}
