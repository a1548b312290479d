import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct ServiceSecretsTests {
  private let vault: TestVault
  private let session: GroupSession

  init() throws {
    vault = try TestVault()
    session = vault.groupSession()
  }

  private func add(_ secret: String, _ service: String, _ username: String) throws -> Account {
    try session.addSecret(
      Redacted(Array(secret.utf8)), service: try #require(ServiceURL(service)), username: username
    ).account
  }

  @Test func theLibraryReadsBackThePasswordOfOneUserNameAndService() async throws {
    let vault = Vault(self.vault.configuration())
    try await vault.setSecret(Redacted(text: "first"), for: "git.example", username: "ada")
    try await vault.setSecret(Redacted(text: "pass\u{e9}"), for: "git.example", username: "ada")
    try await vault.setSecret(Redacted([0xff, 0]), for: "git.example", username: "bob")
    #expect(
      try await vault.secret(for: "HTTPS://Git.Example/", username: "ada").revealText()
        == "pass\u{e9}")
    #expect(try await vault.secret(for: "git.example", username: "bob").reveal() == [0xff, 0])
    for (service, username) in [("git.example", "eve"), ("git.example/team", "ada")] {
      let url = try #require(ServiceURL(service))
      let error = await #expect(throws: VaultError.self) {
        try await vault.secret(for: url, username: username)
      }
      #expect(error?.name == "noAccount")
    }
  }

  @Test func aServiceURLHasOneNormalForm() {
    let forms = [
      "git.example": "https://git.example", "HTTPS://Git.Example/": "https://git.example",
      "https://git.example:443/a/b//": "https://git.example/a/b",
      "http://git.example:80": "http://git.example",
      "http://git.example:443": "http://git.example:443",
      "https://git.example:8443/Path": "https://git.example:8443/Path",
      "https://[2001:DB8::1]:8080": "https://[2001:db8::1]:8080",
      "localhost:5000/v2/": "https://localhost:5000/v2",
    ]
    for (text, form) in forms { #expect(ServiceURL(text)?.description == form) }
    #expect(ServiceURL("https://git.example:443/a").host == "git.example")
  }

  @Test(arguments: [
    "", "https://", "https:///path", "ftp://git.example", "https://u@git.example",
    "https://u:p@git.example", "https://git.example?x", "https://git.example/#x",
    "https://git example", "https://git.example\n", "https://git.example:", "https://:443",
    "https://git.example:x", "https://git.example:0", "https://git.example:65536",
    "https://git\u{e9}.example", "https://git.example\\@evil.example", "javascript:alert",
    "https://[::1", "https://[]", "https://[::1]x", "https://git.example:1:2",
    "https://" + String(repeating: "a", count: 2048),
  ])
  func aMalformedServiceURLIsRefused(text: String) {
    #expect(ServiceURL(text) == nil)
  }

  @Test func aSecretIsListedServedReplacedAndNotExported() throws {
    let account = try add("fake-pat-1", "https://git.example/", "ada")
    #expect(account.authorityType == .secret && account.isSignedIn)
    #expect(account.environment == "git.example" && account.username == "ada")
    #expect(try session.tokenText("", account: "ada") == "fake-pat-1")
    #expect(try add("fake-pat-2", "GIT.example", "ada").identity == account.identity)
    #expect(try vault.groupSession().tokenText("") == "fake-pat-2")
    let result = try session.token(TokenRequest(scopes: ScopeSet([])), account: nil)
    #expect(result.expiresOn == nil && result.tokenType == "")
    #expect(result.authority == "https://git.example")
    let scoped = #expect(throws: VaultError.self) { try session.tokenText("User.Read") }
    #expect(scoped?.interaction == .noToken)
    #expect(try session.exportCache(.all) == MSALCache())
    _ = try add("fake-other", "git.example", "Ada")
    #expect(try session.accounts(.all).accounts.count == 2)
    #expect(try session.signOutAll().accounts.count == 2)
  }

  @Test func invalidSecretsAndUsernamesChangeNothing() throws {
    for (secret, username) in [("", "u"), ("s", ""), ("s", "a\nb"), ("s", "a\0b")] {
      let error = #expect(throws: VaultError.self) { try add(secret, "git.example", username) }
      #expect(error?.name == "invalid")
    }
    let large = #expect(throws: VaultError.self) {
      try add(String(repeating: "s", count: 1 << 20), "git.example", "u")
    }
    guard case .tooLarge? = large?.store else {
      Issue.record("\(String(describing: large))")
      return
    }
    #expect(try session.accounts(.all).emptyReason == .groupDoesNotExist)
  }
}
