import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

@testable import TokenVault

/// The only place that a stored secret is sent to, and the form in which it is sent.
@Suite(.timeLimit(.minutes(2))) struct ServiceCallTests {
  private let vault: TestVault
  private let session: GroupSession

  init() throws {
    vault = try TestVault()
    session = vault.groupSession()
  }

  private func covers(_ service: String, _ address: String) throws -> Bool {
    guard let url = HTTPURL(address) else { return false }
    return try #require(ServiceURL(service)).covers(url)
  }

  @Test(arguments: [
    ("git.example", "https://git.example"), ("git.example", "https://GIT.example/any/path?q=1"),
    ("git.example", "https://git.example:443/x"), ("git.example", "https://git.example/a/../b"),
    ("https://git.example:8443", "https://git.example:8443/x"),
    ("http://localhost:3000", "http://localhost:3000/api"),
    ("https://[2001:DB8::1]", "https://[2001:db8::1]/x"),
    ("https://git.example/team", "https://git.example/team"),
    ("https://git.example/team/", "https://git.example/team/?q=../x"),
    ("https://git.example/team", "https://git.example/team/a%2Fb/c%20d..e"),
  ])
  func aServiceCoversItsAddresses(service: String, address: String) throws {
    #expect(try covers(service, address))
  }

  @Test(arguments: [
    // Another scheme or port.
    ("git.example", "http://git.example/"), ("git.example", "https://git.example:8443/"),
    ("git.example", "https://git.example:80/"), ("http://localhost", "https://localhost/"),
    ("http://localhost:3000", "http://localhost:3001/"),
    ("http://localhost:3000", "http://127.0.0.1:3000/"),
    // A host that looks alike.
    ("git.example", "https://git.example./"), ("git.example", "https://git.example.evil.example/"),
    ("git.example", "https://evil-git.example/"), ("git.example", "https://agit.example/"),
    ("git.example", "https://example/"), ("git.example", "https://api.git.example/"),
    ("git.example", "https://git-example/"), ("git.example", "https://g1t.example/"),
    ("git.example", "https://xn--gt-qja.example/"), ("git.example.", "https://git.example/"),
    ("git.example", "https://git%2eexample/"), ("git.example", "https://g\u{131}t.example/"),
    // A host after user information, a backslash, a fragment or white space.
    ("git.example", "https://git.example@evil.example/"),
    ("git.example", "https://git.example:x@evil.example/"),
    ("git.example", "https://evil.example/@git.example"),
    ("git.example", "https://evil.example\\@git.example/"),
    ("git.example", "https://evil.example#@git.example/"),
    ("git.example", "https://evil.example?@git.example/"),
    ("git.example", "https://git.example\t.evil.example/"),
    ("git.example", "https:git.example/"), ("git.example", "//git.example/"),
    // A path beside the service.
    ("https://git.example/team", "https://git.example/"),
    ("https://git.example/team", "https://git.example/teams"),
    ("https://git.example/team", "https://git.example/TEAM/x"),
    ("https://git.example/team", "https://git.example//team/x"),
    ("https://git.example/team", "https://git.example/other?/team/"),
    // A path that leaves the service in one of the steps of a server.
    ("https://git.example/team", "https://git.example/team/../other"),
    ("https://git.example/team", "https://git.example/team/./../other"),
    ("https://git.example/team", "https://git.example/team/.."),
    ("https://git.example/team", "https://git.example/team/%2e%2E/other"),
    ("https://git.example/team", "https://git.example/team/.%2e/other"),
    ("https://git.example/team", "https://git.example/team/..%2fother"),
    ("https://git.example/team", "https://git.example/team/x%5c..%5c..%5cother"),
    ("https://git.example/team", "https://git.example/team/..;a=b/other"),
    ("https://git.example/team", "https://git.example/team/%252e%252e/other"),
    ("https://git.example/team", "https://git.example/team/%25252e%25252e%25252fother"),
  ])
  func anotherAddressIsNotCovered(service: String, address: String) throws {
    #expect(try !covers(service, address))
  }

  @Test func theFormSuitsTheSecret() {
    for (secret, form) in [
      ("password", ServiceAuthentication.basic), ("ghp_fake", .bearer), ("glpat-fake", .bearer),
      ("github_pat_fake", .bearer), ("eyJh.eyJz.sig", .bearer), ("eyJ no token", .basic),
      ("a ghp_", .basic), ("", .basic),
    ] { #expect(ServiceAuthentication(suiting: Array(secret.utf8)) == form, "\(secret)") }
  }

  @Test func aHeaderCarriesTheWholeSecretOrNothing() {
    func header(_ form: ServiceAuthentication, _ name: String, _ secret: String) -> String? {
      form.header(username: name, Redacted(Array(secret.utf8)))?.reveal()
    }
    // RFC 7617 sections 2 and 2.1.
    #expect(
      header(.basic, "Aladdin", "open sesame") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(header(.basic, "test", "123\u{a3}") == "Basic dGVzdDoxMjPCow==")
    #expect(header(.basic, "a", "??>") == "Basic YTo/Pz4=")
    #expect(header(.bearer, "any", "a.b-c~d+/=") == "Bearer a.b-c~d+/=")
    // A second header field, or a name that ends early.
    #expect(header(.bearer, "a", "x\r\nHost: evil.example") == nil)
    #expect(header(.bearer, "a", "two words") == nil && header(.bearer, "a", "\u{e9}") == nil)
    #expect(header(.basic, "a:b", "c") == nil)
    #expect(header(.basic, "a", "x\r\nHost: evil.example")?.contains("\r") == false)
  }

  @Test func aSecretKeepsItsExpiryAndItsForm() throws {
    let secrets = ServiceSecrets(session)
    let end = session.now.advanced(by: 100)
    let stored = try secrets.store(
      Redacted(Array("fake".utf8)), service: "git.example", username: "ada", expiresOn: end,
      as: .bearer)
    #expect(stored.account.accessTokenExpiresOn == end)
    #expect(stored.account.service == "https://git.example")
    let token = try session.token(TokenRequest(scopes: ScopeSet([])), account: nil)
    #expect(token.expiresOn == end && token.tokenType == "Bearer" && token.scopes.isEmpty)
    let soon = TokenRequest(scopes: ScopeSet([]), minimumValidity: 101)
    let early = #expect(throws: VaultError.self) { try session.token(soon, account: nil) }
    #expect(early?.interaction == .expired(end))
    let again = try secrets.store(
      Redacted(Array("fake".utf8)), service: "git.example", username: "ada")
    #expect(again.isReplaced && again.account.accessTokenExpiresOn == nil)
    for (form, header) in [
      (ServiceAuthentication.basic, "Basic YWRhOmZha2U="), (.bearer, "Bearer fake"),
    ] {
      try secrets.store(
        Redacted(Array("fake".utf8)), service: "git.example", username: "ada", as: form)
      let token = try session.token(TokenRequest(scopes: ScopeSet([])), account: nil)
      #expect(token.authorizationHeader.reveal() == header)
    }
  }

  @Test func theSecretOfAServiceIsFoundByHostOrURL() throws {
    for (service, name) in [
      ("git.example", "ada"), ("git.example", "bob@git.example"), ("http://localhost:80/a", "ada"),
      ("https://git.example/team", "eve"), ("https://one.example/x", "ada"),
    ] {
      let url = try #require(ServiceURL(service))
      try ServiceSecrets(session).store(
        Redacted(Array("\(name) at \(service)".utf8)), service: url, username: name)
    }
    func found(_ text: String, _ name: String? = nil) throws -> String {
      let place = try #require(ServiceReference(text, name: name))
      let account = try session.account(.secret(place))
      return "\(account.username) at \(account.service ?? "")"
    }
    #expect(try found("GIT.example", "ada") == "ada at https://git.example")
    #expect(try found("git.example", "bob") == "bob@git.example at https://git.example")
    // A host names every service at it; a URL names one.
    #expect(try found("git.example", "eve") == "eve at https://git.example/team")
    #expect(try found("https://git.example/team") == "eve at https://git.example/team")
    #expect(try found("one.example") == "ada at https://one.example/x")
    #expect(try found("localhost") == "ada at http://localhost/a")
    #expect(throws: VaultError.self) { try found("https://one.example") }
    #expect(throws: VaultError.self) { try found("https://git.example", "eve") }
    #expect(throws: VaultError.self) { try found("git.example.") }
    #expect(throws: VaultError.self) { try found("git.example", "ad") }
    let several = #expect(throws: VaultError.self) { try found("git.example") }
    guard case .ambiguousAccount("git.example", let candidates)? = several else {
      Issue.record("\(String(describing: several))")
      return
    }
    #expect(candidates.map(\.username) == ["ada", "bob@git.example"])
  }
}
