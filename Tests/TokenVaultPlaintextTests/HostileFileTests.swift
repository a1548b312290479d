import Testing
import TokenVaultPlaintext

/// Files that would hide a secret, print a part of one, or take long.
@Suite(.timeLimit(.minutes(2)))
struct HostileFileTests {
  private func secrets(_ format: PlaintextFormat, _ text: String) -> [[String]] {
    PlaintextFile(Array(text.utf8), format).secrets.map(\.summary)
  }

  @Test(arguments: [
    (
      PlaintextFormat.pip, "[global]\nindex-url = https://ada:S3C=1,x@p.example/simple\n",
      ["password", "line 2", "ada", "https://p.example"]
    ),
    (
      .pip, "index-url = https://abcdefghij0123456789@p.example/\n",
      ["token", "line 1", "", "https://p.example"]
    ),
    (
      .docker, #"{"h.example": {"auth": "YWRhOlMzQzE=", "email": "x"}}"#,
      ["password", "h.example.auth", "ada", "https://h.example"]
    ),
    (
      .docker, #"{"proxies": {"default": {"httpProxy": "http://ada:S3C1@p.example:3128"}}}"#,
      ["password", "proxies.default.httpProxy", "ada", "http://p.example:3128"]
    ),
    (
      .docker, #"{"HttpHeaders": {"Authorization": "S3C1"}}"#,
      ["token", "HttpHeaders.Authorization", "", ""]
    ),
    (
      .npm, "registry=https://ada:S3C1@h.example/\n",
      ["password", "line 1", "ada", "https://h.example"]
    ),
    (
      .npm, "@scope:registry = \"https://ada:S3C1@h.example/x\"\n",
      ["password", "line 1", "ada", "https://h.example"]
    ),
    (
      .npm, "https-proxy=http://ada:S3C1@h.example:3128\n",
      ["password", "line 1", "ada", "http://h.example:3128"]
    ),
    (
      .gitlabConfiguration, "hosts:\n  h.example:\n    job_token: S3C1\n",
      ["token", "hosts.h.example.job_token", "", "https://h.example"]
    ),
    (
      .githubHosts, "h.example:\n  a:\n    oauth_token: S3C1\n",
      ["token", "h.example.a.oauth_token", "", ""]
    ),
    (
      .kubeconfig,
      "users:\n- name: u\n  user:\n    exec:\n      env:\n      - name: CLIENT_SECRET\n"
        + "        value: S3C1\n",
      ["token", "users.u.exec.env.0.value", "u", ""]
    ),
    (
      .kubeconfig,
      "users:\n- name: u\n  user:\n    exec:\n      args:\n      - get-token\n      - --issuer\n"
        + "      - --oidc-client-secret=S3C1\n",
      ["token", "users.u.exec.args.2", "u", ""]
    ),
    (
      .kubeconfig,
      "users:\n- name: u\n  user:\n    exec:\n      args:\n      - --client-secret\n      - S3C1\n",
      ["token", "users.u.exec.args.1", "u", ""]
    ),
    (
      .gitCredentials, "https://abcdefghij0123456789@h.example\n",
      ["token", "line 1", "", "https://h.example"]
    ),
    (
      .netrc, "macdef m\r\ncd x\r\n\r\nmachine a.example login ada password S3C1\r\n",
      ["password", "machine a.example, line 4", "ada", "https://a.example"]
    ),
    (
      .rclone, "[r]\nurl = https://ada:S3C1@h.example/x\n",
      ["password", "line 2", "ada", "https://h.example"]
    ),
    (
      .pypirc, "[r]\nrepository = https://ada:S3C1@h.example/x\n",
      ["password", "line 2", "ada", "https://h.example"]
    ),
  ])
  func aSecretInAnotherPlaceIsFound(format: PlaintextFormat, text: String, found: [String]) {
    #expect(secrets(format, text) == [found])
  }

  @Test(arguments: [
    (
      PlaintextFormat.kubeconfig,
      "users:\n- name: u\n  user:\n    exec:\n      args:\n      - get-token\n      - --token-cache-dir=/x\n      env: null\n"
    ),
    (.githubHosts, "github.com:\n  oauth_token: null\n  user: ~\n"),
    (.gitlabConfiguration, "hosts:\n  h:\n    token: !!null null\n"),
    (.npm, "registry=https://h.example/@scope/x\n//h/:_authToken=${T}\n"),
    (.pip, "index-url = https://ada@h.example/simple\n"),
  ])
  func aFileWithoutSecretsIsClean(format: PlaintextFormat, text: String) {
    let file = PlaintextFile(Array(text.utf8), format)
    #expect(file.secrets.isEmpty && file.fault == nil)
  }

  @Test(arguments: [
    (PlaintextFormat.kubeconfig, "users:\n- name: u\n  user:\n    token:\n      eyJS3C1\n", 5),
    (.kubeconfig, "users: {strange: S3C1}\n", 1),
    (.netrc, "m\0a\0c\0h\0i\0n\0e\0 \0", 1),
    (.npm, "a=b\n\u{0}//h/:_authToken=S3C1\n", 2),
  ])
  func aFileThatIsNotUnderstoodIsNeverClean(format: PlaintextFormat, text: String, line: Int) {
    let file = PlaintextFile(Array(text.utf8), format)
    #expect(file.fault == .notUnderstood(line: line))
  }

  @Test func aLineThatIsNotTextIsNotUnderstood() {
    let line = Array("https://ada:x@h.example/".utf8)
    #expect(PlaintextFile(line + [0xe4, 0x0a], .npm).fault == .notUnderstood(line: 1))
    #expect(PlaintextFile([0x23, 0xe4, 0x0a], .npm).fault == nil)
    #expect(PlaintextFile([0xff, 0xfe, 0x61, 0x00], .gitCredentials).fault != nil)
  }

  @Test func aMachineStaysBesideADefaultEntry() throws {
    let text = "machine a.example login ada password S3C1\ndefault login bob password S3C2\n"
    let file = PlaintextFile(Array(text.utf8), .netrc)
    #expect(file.secrets.map { $0.obstacle == nil } == [false, true])
    #expect(throws: PlaintextError.notSeparable) { try file.removing([0]) }
    let rest = PlaintextFile(try file.removing([1]), .netrc)
    #expect(rest.secrets.map { $0.obstacle == nil } == [true])
  }

  /// No part of a password is printed as an address, a place or a user name.
  @Test(arguments: [
    (PlaintextFormat.pypirc, "[r]\nrepository = https://u:S3C/w@h.example/\npassword = x\n"),
    (.pypirc, "[r]\nrepository = https://u:S3C?w@h.example/\npassword = x\n"),
    (.pypirc, "[r]\nrepository = u:S3C@h.example/x//y\npassword = x\n"),
    (.pypirc, "[r]\nrepository = h.example?k=S3C//x\npassword = x\n"),
    (.rclone, "[r]\nurl = https://u:S3C#w@h.example/\npass = x\n"),
    (.rclone, "[r]\nurl = u:S3C@h.example/x//y\npass = x\n"),
    (.docker, #"{"auths": {"https://u:S3C/w@h.example": {"auth": "YTpi"}}}"#),
    (.docker, #"{"auths": {"u:S3C//w@h.example": {"auth": "YTpi"}}}"#),
    (.docker, #"{"auths": {"https://h.example/?k=S3C": {"auth": "YTpi"}}}"#),
    (.npm, "//u:S3C/w@h.example/:_authToken=x\n"),
    (.gitCredentials, "https://abcS3Cfghij:x-oauth-basic@h.example\n"),
    (.gitCredentials, "https://abcdefghijS3C3456789@h.example\n"),
  ])
  func noPartOfAPasswordIsPrinted(format: PlaintextFormat, text: String) {
    let file = PlaintextFile(Array(text.utf8), format)
    #expect(!file.secrets.isEmpty)
    #expect(!"\(file.secrets.map(\.summary)) \(file.secrets)".contains("S3C"))
    // A secret whose host is uncertain is not stored for an address, either.
    #expect(!file.secrets.contains { $0.service?.contains("u:") == true })
  }

  /// Each of these took time with the square of the number of entries.
  @Test func aLargeFileTakesTimeInProportion() {
    let clock = ContinuousClock()
    let count = 6_000
    let entry = #"{"client_id": "a", "tenant": "t", "client_secret": "b"}"#
    let profile = { (number: Int) in
      "[p\(number)]\naws_access_key_id = A\naws_secret_access_key = S\n"
    }
    let texts: [(PlaintextFormat, String)] = [
      (.netrc, String(repeating: "machine a login b password c\n", count: count)),
      (.azurePrincipals, "[" + Array(repeating: entry, count: count).joined(separator: ",") + "]"),
      (.aws, (0..<count).map(profile).joined()),
    ]
    for (format, text) in texts {
      let time = clock.measure {
        #expect(PlaintextFile(Array(text.utf8), format).secrets.count == count)
      }
      #expect(time < .seconds(30), "\(format) \(time)")
    }
    let deep = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
    #expect(PlaintextFile(Array(deep.utf8), .docker).fault == .notUnderstood(line: 1))
  }

  /// cargo's configuration has other tables in forms that are not read.
  @Test func aTokenInTheConfigurationOfCargoIsTakenOut() throws {
    let text = """
      paths = [
        "a",
      ]
      [target.x86_64-unknown-linux-gnu]
      rustflags = ["-C",
        "x"]
      [registries.corp]
      index = "sparse+https://cargo.example/index/"
      token = "S3C1"
      [alias]
      b = { x = 1 }

      """
    let file = SampleFile.file(Array(text.utf8), .cargo)
    #expect(
      file.secrets.map(\.summary) == [
        ["token", "registries.corp.token", "cargo", "https://cargo.example/index/"]
      ])
    #expect(file.fault == nil)
    let rest = String(decoding: try file.removing([0]), as: UTF8.self)
    #expect(rest == text.replacing("token = \"S3C1\"\n", with: ""))
  }

  @Test func anAWSProfileWithTwoKeysStays() {
    let text =
      "[p]\naws_access_key_id = A\naws_secret_access_key = S3C1\naws_secret_access_key = S3C2\n"
    let file = PlaintextFile(Array(text.utf8), .aws)
    #expect(file.secrets.count == 2 && file.secrets.allSatisfy { $0.obstacle != nil })
  }

  @Test(arguments: [
    ("config.toml", ".cargo", PlaintextFormat.cargo), (".dockercfg", "x", .docker),
    ("a.tfrc", ".terraform.d", .terraformConfiguration),
    ("a.tfrc.json", ".terraform.d", .terraformTokens), (".netrc.tokenvault-new", "x", .netrc),
  ])
  func theFileIsKnown(name: String, directory: String, format: PlaintextFormat) {
    #expect(PlaintextFormat(fileName: name, in: directory) == format)
  }
}
