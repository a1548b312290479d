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
    "https://login.example\\@evil.example",
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
}
