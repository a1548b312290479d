import TokenVaultSignIn
import Testing

/// The parts of a URL, which decide where a token may be sent.
@Suite(.timeLimit(.minutes(5))) struct HTTPURLTests {
  @Test(arguments: [
    ("https://Login.Example/Tenant?x=1", "https://login.example/Tenant?x=1"),
    ("https://login.example:443/", "https://login.example/"),
    ("http://[::1]:8080/a", "http://[::1]:8080/a"),
  ])
  func aURLIsNormalized(text: String, normal: String) {
    #expect(HTTPURL(text)?.description == normal)
  }

  @Test(arguments: [
    "login.example", "ftp://login.example", "https://", "https://user@login.example",
    "https://login.example#f", "https://login.example/ a", "https://login.exa\u{6d}ple\u{301}/",
    "https://login.example:0", "https://login.example:99999", "https://[::1", "https:login.example",
    "https://login.example\\@evil.example", "https://[login.example]",
  ])
  func ambiguousURLsAreRefused(text: String) {
    #expect(HTTPURL(text) == nil)
  }

  @Test(arguments: [
    ("http://127.0.0.1/", true), ("http://127.8.9.1:1/", true), ("http://[::1]/", true),
    ("http://localhost/", true), ("http://127.0.0.1.evil.example/", false),
    ("http://localhost.evil.example/", false), ("http://10.0.0.1/", false),
    ("http://127.evil.0.1/", false), ("http://127.0.0.999/", false),
    ("http://127.0.0.-0/", false),
  ])
  func httpIsConfidentialOnThisMachineOnly(text: String, isConfidential: Bool) {
    #expect(HTTPURL(text)?.isConfidential == isConfidential)
  }

  @Test(arguments: [
    "127.0.0.08", "127.0.0.010", "127.0.0.00", "127.00.0.1", "0127.0.0.1", "127.0.0.1.", "127.1",
    "127.0.1", "2130706433", "0x7f.1", "0x7f.0.0.1", "127.0.0.0x1", "0177.0.0.1", "0.0.0.0",
    "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]", "[::01]", "[::]", "localhost.evil", "localhost.",
    "127.0.0.1.nip.io", "localhost4",
  ])
  func rfc6943_section3_1_1_otherSpellingsOfALoopbackAddressAreNotTrusted(host: String) throws {
    let address = try #require(HTTPURL("http://\(host):8080/"))
    #expect(!address.isLoopback)
    #expect(!address.isConfidential)
    #expect(throws: SignInError.invalidAuthority) { try Authority("http://\(host):8080/tenant") }
    #expect(throws: SignInError.invalidRedirectURI) { try RedirectURI("http://\(host):8080/") }
  }
}
