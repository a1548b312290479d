import Testing
import TokenVault
import TokenVaultTestSupport

@testable import TokenVaultCLI

/// Names and texts that look like addresses, user names and accounts, and are none.
@Suite(.timeLimit(.minutes(5)))
struct StoreFormTests {
  private func entry(_ name: String, _ text: String) -> String {
    switch PassEntry(name: name, text: Array(text.utf8)).content {
    case .secret(let password): "\(password.username) \(password.service)"
    case .unusable(let reason): reason
    case .cache: "a cache"
    }
  }

  @Test(arguments: [
    ("git.example.com/ada", "p", "ada https://git.example.com"),
    ("a/b.example.com:8443/team/ada", "p", "ada https://b.example.com:8443"),
    ("x", "p\nURL: https://a.example/in?next=b\nUser: ada", "ada https://a.example/in"),
    ("x", "p\r\nurl: a.example\r\nlogin: ada\r\n", "ada https://a.example"),
    ("git.example.com", "p", "it has no user name"), ("mail/ada", "p", "it has no address"),
    (
      "x", "p\nurl: https://ada:secret@a.example\nlogin: ada", "its address is not one of a service"
    ),
    ("x", "p\nurl: cmd://ssh a.example\nlogin: ada", "its address is not one of a service"),
    ("x", "p\nurl: https://gооgle.com\nlogin: ada", "its address is not one of a service"),
    ("x", "\nurl: a.example\nlogin: ada", "it has no password"),
    ("a.example/ada", "", "it has no password"),
    // A user name or a file name that looks like a host, and passwords of other services.
    ("github.com/ada.dev", "p", "ada.dev https://github.com"),
    ("github.com/ada.dev", "p\nlogin: ada", "its name has two hosts"),
    ("a.example/b.example/ada", "p", "its name has two hosts"),
    ("a.example/b.example/ada", "p\nurl: b.example\nlogin: ada", "ada https://b.example"),
    ("keys/backup.key/me", "p", "it has no address"),
    ("ssh/srv.example.com/root", "p", "its name is that of a password for ssh"),
    ("web/ssh.example.com/ada", "p", "ada https://ssh.example.com"),
    ("a.example/ad\u{1b}a", "p", "its user name cannot be stored"),
    ("docker-credential-helpers/!/ada", "p", "its name is not one of docker-credential-pass"),
    ("docker-credential-helpers/ada", "p", "its name is not one of docker-credential-pass"),
  ])
  func anEntryIsWhatItsLinesAndItsNameSay(_ name: String, _ text: String, _ wanted: String) {
    #expect(entry(name, text) == wanted)
  }

  /// An entry stays if the vault has only some of its lines.
  @Test(arguments: [
    ("x", "p\nlogin: ada\nurl: https://a.example/in\n\n", ""),
    (
      "p", "p\nlogin: ada\nurl: https://a\nurl: https://b\nwebsite: https://c\nuser: eve",
      "3 other lines"
    ),
    ("x", "p\nlogin: ada\nurl: https://a.example/in?next=b", "the query of its address"),
    (
      "x", "p\nlogin: ada\nurl: https://a.example/#b\npin: 1",
      "1 other line, the query of its address"
    ),
    ("a.example/ada", "p\nlogin:", "1 other line"),
    ("docker-credential-helpers/YS5leGFtcGxl/ada", "p\nurl: https://b.example\nq", ""),
  ])
  func theLinesThatDoNotComeInAreCounted(_ name: String, _ text: String, _ wanted: String) {
    let rest = PassEntry(name: name, text: Array(text.utf8)).rest
    #expect((rest ?? "") == wanted)
  }

  @Test func theSecretOfDockerIsTheWholeText() {
    let entry = PassEntry(
      name: "docker-credential-helpers/YS5leGFtcGxl/ada", text: Array("p\nlogin: eve\nq\n\r\n".utf8)
    )
    guard case .secret(let password) = entry.content else {
      Issue.record("\(entry.content)")
      return
    }
    #expect(password.secret.revealText() == "p\nlogin: eve\nq" && password.username == "ada")
  }

  @Test func aFileOfGHWithOtherLinesGivesItsHostsOnly() {
    let text = """
      # comment
      a.example:
        users:
          'x':
            oauth_token: one
        user: 'x'
        oauth_token: one
      - item
      b.example:
        oauth_token: two
      """
    var first = GitHubHost(name: "a.example", active: "x")
    first.tokens = ["x": "one"]
    #expect(
      GitHubHost.all(in: text)
        == [first, GitHubHost(name: "b.example", active: nil, tokens: ["": "two"])])
    #expect(GitHubHost.all(in: "").isEmpty && GitHubHost.all(in: ":\n  : x\n:::").count <= 2)
  }

  @Test func rowsOfCSVMayHaveQuotesAndLineEnds() {
    let rows = CSVText.rows(Array("a,\"b\"\"\n,\",c\r\n,,\n".utf8))
    #expect(
      rows?.map { $0.map { String(decoding: $0, as: UTF8.self) } }
        == [["a", "b\"\n,", "c"], ["", "", ""]])
    for text in ["\"a", "a\"b\"", "\"a\"b"] { #expect(CSVText.rows(Array(text.utf8)) == nil) }
  }

  @Test func theAddressOfAServiceIsTakenApartAsGitNamesItsParts() {
    let parts = PlaceParts("https://[::1]:8443/a/b")
    #expect(parts.scheme == "https" && parts.host == "[::1]" && parts.port == "8443")
    #expect(parts.path == "a/b" && PlaceParts("http://[::1]").port == nil)
  }
}
