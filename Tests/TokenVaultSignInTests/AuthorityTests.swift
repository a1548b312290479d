import Testing
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVaultSignIn

/// Authorities from URLs, audiences and clouds.
@Suite(.timeLimit(.minutes(5))) struct AuthorityTests {
  private static let guid = "c0000000-0000-4000-8000-00000000c001"

  struct Form: Sendable {
    let url: String
    let kind: Authority.Kind
    let tenant: String
    let environment: String
    let discovery: String
  }

  static let forms: [Form] = {
    let wellKnown = "/.well-known/openid-configuration"
    func entra(_ url: String, _ tenant: String, _ host: String) -> Form {
      Form(
        url: url, kind: .entra, tenant: tenant, environment: host,
        discovery: "https://\(host)/\(tenant)/v2.0\(wellKnown)")
    }
    func b2c(_ url: String, _ policy: String, _ host: String, _ path: String) -> Form {
      Form(
        url: url, kind: .b2c(policy: policy), tenant: "contoso.onmicrosoft.com",
        environment: host, discovery: path + "/v2.0" + wellKnown)
    }
    let clouds = Authority.Cloud.allCases.map {
      entra("https://\($0.rawValue)/organizations", "organizations", $0.rawValue)
    }
    let b2clogin = "https://contoso.b2clogin.com"
    return clouds + [
      entra(
        "https://LOGIN.microsoftonline.com/common/", "common", "login.microsoftonline.com"),
      entra(
        "https://login.microsoftonline.com/\(guid)/v2.0", guid, "login.microsoftonline.com"),
      entra(
        "https://login.microsoftonline.com:443/contoso.com", "contoso.com",
        "login.microsoftonline.com"),
      entra("https://login.windows.net/common", "common", "login.windows.net"),
      entra("https://login.chinacloudapi.cn/common", "common", "login.chinacloudapi.cn"),
      entra("https://id.example/common/v2.0", "common", "id.example"),
      Form(
        url: "http://127.0.0.1:8080/common/v2.0", kind: .entra, tenant: "common",
        environment: "127.0.0.1", discovery: "http://127.0.0.1:8080/common/v2.0" + wellKnown),
      Form(
        url: "https://contoso.ciamlogin.com", kind: .externalID,
        tenant: "contoso.onmicrosoft.com", environment: "contoso.ciamlogin.com",
        discovery: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0" + wellKnown),
      Form(
        url: "https://contoso.ciamlogin.com/\(guid)", kind: .externalID, tenant: guid,
        environment: "contoso.ciamlogin.com",
        discovery: "https://contoso.ciamlogin.com/\(guid)/v2.0" + wellKnown),
      b2c(
        b2clogin + "/tfp/contoso.onmicrosoft.com/B2C_1_Susi", "B2C_1_Susi",
        "contoso.b2clogin.com", b2clogin + "/tfp/contoso.onmicrosoft.com/B2C_1_Susi"),
      b2c(
        b2clogin + "/contoso.onmicrosoft.com/custom_policy", "custom_policy",
        "contoso.b2clogin.com", b2clogin + "/contoso.onmicrosoft.com/custom_policy"),
      b2c(
        "https://login.contoso.example:8443/contoso.onmicrosoft.com/b2c_1a_susi", "b2c_1a_susi",
        "login.contoso.example",
        "https://login.contoso.example:8443/contoso.onmicrosoft.com/b2c_1a_susi"),
      b2c(
        "https://login.contoso.example:8443/tfp/contoso.onmicrosoft.com/susi", "susi",
        "login.contoso.example",
        "https://login.contoso.example:8443/tfp/contoso.onmicrosoft.com/susi"),
      Form(
        url: "https://accounts.example", kind: .openIDConnect, tenant: "",
        environment: "accounts.example", discovery: "https://accounts.example" + wellKnown),
      Form(
        url: "https://accounts.example/realms/one/", kind: .openIDConnect, tenant: "",
        environment: "accounts.example",
        discovery: "https://accounts.example/realms/one" + wellKnown),
    ]
  }()

  @Test(
    .parity(
      "MSALAuthority.authorityWithURL:error:", "MSALAuthority.url",
      "MSALAADAuthority.initWithURL:error:", "MSALB2CAuthority.initWithURL:error:",
      "MSALCIAMAuthority.initWithURL:error:"), arguments: forms)
  func aURLDeterminesKindTenantHostAndDiscovery(form: Form) throws {
    let authority = try Authority(form.url)
    #expect(authority.kind == form.kind)
    #expect(authority.tenant == form.tenant)
    #expect(authority.environment == form.environment)
    #expect(authority.discoveryAddresses.first?.description == form.discovery)
    // The stored URL parses to the same authority.
    #expect(try Authority(authority.url) == authority)
  }

  @Test(
    .parity(
      "MSALAuthority.authorityWithURL:error:", "MSALCIAMAuthority.initWithURL:validateFormat:error:"
    ),
    arguments: [
      "", "login.microsoftonline.com/common", "http://login.microsoftonline.com/common",
      "http://id.example", "ftp://id.example", "https://login.microsoftonline.com",
      "https://login.microsoftonline.com/", "https://login.microsoftonline.com/a/b",
      "https://user:secret@id.example", "https://id.example?x=1", "https://id.example#f",
      "https://contoso.ciamlogin.com/a/b", "https://contoso.b2clogin.com/contoso.onmicrosoft.com",
      "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com", "https://id.example/v2.0",
      "https://id.example/a/b/v2.0", "http://10.0.0.1/common/v2.0",
    ])
  func invalidAuthoritiesAreRefused(url: String) {
    #expect(throws: SignInError.invalidAuthority) { try Authority(url) }
  }

  @Test(
    .parity("MSALADFSAuthority"),
    arguments: ["https://adfs.contoso.example/adfs", "https://id.example/ADFS/v2.0"])
  func adfsIsReportedAsUnsupported(url: String) {
    #expect(throws: SignInError.unsupportedAuthority) { try Authority(url) }
  }

  /// The hosts that MSAL documents, from each place that distinguishes them.
  @Test(arguments: ["com", "cn", "us", "de"])
  func everyB2CHostIsRecognizedEverywhere(domain: String) throws {
    let host = "contoso.b2clogin.\(domain)"
    let authority = try Authority("https://\(host)/contoso.onmicrosoft.com/custom_policy")
    #expect(authority.kind == .b2c(policy: "custom_policy"))
    #expect(authority.isWithoutRevocation)
    #expect(authority.authorityType == .b2c)
    #expect(AuthorityType(cacheText: "MSSTS", environment: host) == .b2c)
    #expect(AuthorityType(cacheText: "MSSTS", environment: host.uppercased()) == .b2c)
    // A foreign host that only looks like one of them.
    let foreign = host + ".example"
    #expect(try Authority("https://\(foreign)").kind == .openIDConnect)
    #expect(try !Authority("https://\(foreign)").isWithoutRevocation)
    #expect(AuthorityType(cacheText: "MSSTS", environment: foreign) == .entra)
  }

  @Test func theExternalIDHostIsRecognizedEverywhere() throws {
    let authority = try Authority("https://contoso.ciamlogin.com")
    #expect(authority.kind == .externalID)
    #expect(authority.isWithoutRevocation)
    #expect(AuthorityType(cacheText: "MSSTS", environment: authority.environment) == .b2c)
  }

  @Test(
    .parity(
      "MSALAADAuthority.initWithCloudInstance:audienceType:rawTenant:error:",
      "MSALAADAuthority.initWithEnvironment:audienceType:rawTenant:error:"))
  func audiencesAndCloudsMakeAuthorities() throws {
    #expect(
      try Authority.entra(.tenant("contoso.com"), in: .china).description
        == "https://login.partner.microsoftonline.cn/contoso.com")
    #expect(try Authority.entra(.entraAndPersonal).tenant == "common")
    #expect(try Authority.entra(.personal).tenant == "consumers")
    for tenant in ["", "a/b", "a?b", "a#b", "a b"] {
      #expect(throws: SignInError.invalidAuthority) { try Authority.entra(.tenant(tenant)) }
    }
  }

  @Test(.parity("MSALAADAuthority.initWithURL:rawTenant:error:"))
  func changingTheTenantKeepsTheServer() throws {
    for url in ["https://login.microsoftonline.us/common", "http://[::1]:9/common/v2.0"] {
      let other = try Authority(url).with(tenant: Self.guid)
      #expect(other.tenant == Self.guid)
      #expect(other.address.origin == (try Authority(url)).address.origin)
      #expect(other.kind == .entra)
    }
    let b2c = try Authority("https://c.b2clogin.com/tfp/c.onmicrosoft.com/b2c_1_x")
    #expect(try b2c.with(tenant: Self.guid) == b2c)
    let entra = try Authority.entra(.entraAndPersonal)
    #expect(throws: SignInError.invalidRequest(.tenant)) { try entra.with(tenant: "a/b") }
  }

  @Test func onlyCloudAliasesAndEqualOriginsAreOneServer() throws {
    func same(_ left: String, _ right: String) throws -> Bool {
      try Authority(left).isSameServer(as: try Authority(right))
    }
    #expect(try same("https://login.microsoftonline.com/a.b", "https://login.windows.net/common"))
    #expect(
      try !same("https://login.microsoftonline.com/a.b", "https://login.microsoftonline.us/a.b"))
    #expect(try same("http://127.0.0.1:1/common/v2.0", "http://127.0.0.1:1/oidc/x"))
    #expect(try !same("http://127.0.0.1:1/common/v2.0", "http://127.0.0.1:2/common/v2.0"))
    #expect(try !same("https://id.example", "https://id.example:8443"))
  }
}
