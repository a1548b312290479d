import Testing
import TokenVaultModel
import TokenVaultSignIn

@testable import TokenVaultCredentialHelpers

/// A text that looks like the address of one server and is that of another, in every place where a
/// protocol names an address: the vault is asked for the server that the client connects to, or is
/// not asked.
@Suite(.timeLimit(.minutes(2))) struct HostileAddressTests {
  /// A text, and the origin that the vault is asked for; nil if it is not asked.
  struct Case: CustomTestStringConvertible, Sendable {
    let text: String
    let origin: String?
    /// Whether it has a host only, which is all that git and Terraform name.
    var isHost: Bool {
      let rest = text.dropFirst("https://".count)
      return text.lowercased().hasPrefix("https://") && !rest.contains { "/?".contains($0) }
    }
    var testDescription: String { text.debugDescription }
  }

  static let cases: [Case] = [
    ("https://git.example", "https://git.example"),
    // Case, default port, other ports.
    ("https://GIT.Example", "https://git.example"), ("HTTPS://git.example", "https://git.example"),
    ("https://git.example:443", "https://git.example"),
    ("https://git.example:8443", "https://git.example:8443"),
    ("https://git.example:80", "https://git.example:80"),
    ("http://git.example", "http://git.example"), ("http://git.example:80", "http://git.example"),
    ("https://git.example:0", nil), ("https://git.example:65536", nil),
    ("https://git.example:-1", nil), ("https://git.example:+443", nil),
    ("https://git.example:", nil), ("https://git.example:443:1", nil),
    ("https://git.example:4\u{664}3", nil), ("https://git.example:0x1bb", nil),
    ("https://git.example:443.evil.example", nil),
    // Trailing dots name the same server in DNS, and another one in every cookie and certificate.
    ("https://git.example.", "https://git.example."),
    ("https://git.example..", "https://git.example.."),
    // User information.
    ("https://git.example@evil.example", nil), ("https://git.example:443@evil.example", nil),
    ("https://git.example%40evil.example", nil), ("https://@git.example", nil),
    ("https://git.example\\@evil.example", nil), ("https://git.example\\.evil.example", nil),
    ("https://evil.example#@git.example", nil), ("https://evil.example#git.example", nil),
    // Names in which the text is a part.
    ("https://git.example.evil.example", "https://git.example.evil.example"),
    ("https://evil-git.example", "https://evil-git.example"),
    ("https://evil.example/git.example", "https://evil.example"),
    ("https://evil.example?git.example", "https://evil.example"),
    ("https://evil.example/https://git.example", "https://evil.example"),
    ("https://evil.example/../git.example", "https://evil.example"),
    // Other scripts: dotless i, Cyrillic e, full width, ideographic full stop, soft hyphen, joiner.
    ("https://g\u{131}t.example", nil), ("https://git.\u{435}xample", nil),
    ("https://\u{ff47}it.example", nil), ("https://git\u{3002}example", nil),
    ("https://git.exa\u{ad}mple", nil), ("https://git.exam\u{200d}ple", nil),
    ("https://\u{212a}it.example", nil), ("https://gi\u{302}t.example", nil),
    ("https://xn--gt-pka.example", "https://xn--gt-pka.example"),
    // Controls and spaces.
    ("https://git.example\u{0}.evil.example", nil), ("https://git.example\r.evil.example", nil),
    ("https://git.example\n.evil.example", nil), ("https://git.example\t.evil.example", nil),
    ("https://git. example", nil), ("https://git.example\u{2028}", nil),
    ("https://git.example\u{a0}", nil), ("https://\u{feff}git.example", nil),
    // Addresses.
    ("https://[::1]", "https://[::1]"), ("https://[::1", nil), ("https://::1", nil),
    ("https://[::1]evil.example", nil), ("https://[git.example]", nil),
    ("https://127.0.0.1", "https://127.0.0.1"), ("https://2130706433", "https://2130706433"),
    // Not an http or https URL.
    ("https:///git.example", nil), ("https:/git.example", nil), ("https:git.example", nil),
    ("https://", nil), ("//git.example", nil), ("ftp://git.example", nil),
    ("file:///git.example", nil), ("javascript://git.example", nil),
    ("xhttps://git.example", nil), ("https ://git.example", nil), ("://git.example", nil),
    ("https://git.example/\"", nil), ("https://git.example/<x>", nil), ("", nil),
    ("https://" + String(repeating: "a", count: 9000), nil),
  ].map { Case(text: $0.0, origin: $0.1) }

  @Test(arguments: cases)
  func dockerAsksForNoOtherServer(_ address: Case) {
    check("docker", HelperCall(["get"], input: Array(address.text.utf8)), address)
    check("docker", HelperCall(["erase"], input: Array(address.text.utf8)), address)
    let store: [(String, JSONValue)] = [
      ("ServerURL", .string(address.text)), ("Username", .string("ada")),
      ("Secret", .string("s3cret")),
    ]
    check("docker", HelperCall(["store"], input: Self.json(store)), address)
  }

  @Test(arguments: cases)
  func anArgumentAsksForNoOtherServer(_ address: Case) {
    check("aws", HelperCall([address.text]), address)
    check("pnpm", HelperCall([address.text]), address)
    check("keyring", HelperCall(["get", address.text, "ada"]), address)
    check("keyring", HelperCall(["get", "--mode", "creds", address.text]), address)
    check("keyring", HelperCall(["set", address.text, "ada"], input: [0x61]), address)
    // Go sends headers over https only.
    let isHTTP = address.origin?.hasPrefix("http:") == true
    check(
      "goauth", HelperCall([address.text]),
      Case(text: address.text, origin: isHTTP ? nil : address.origin))
  }

  @Test(arguments: cases)
  func jsonAsksForNoOtherServer(_ address: Case) {
    check(
      "bazel", HelperCall(["get"], input: Self.json([("uri", .string(address.text))])), address)
    let info = Self.json([
      ("apiVersion", .string("client.authentication.k8s.io/v1")),
      ("kind", .string("ExecCredential")),
      (
        "spec",
        .object([.init("cluster", .object([.init("server", .string(address.text))]))])
      ),
    ])
    check(
      "kubernetes",
      HelperCall([], environment: ["KUBERNETES_EXEC_INFO": String(decoding: info, as: UTF8.self)]),
      address)
    for prefix in ["", "sparse+"] {
      let registry = JSONValue.object([.init("index-url", .string(prefix + address.text))])
      for kind in ["get", "login", "logout"] {
        let line = Self.json([
          ("v", .number("1")), ("kind", .string(kind)), ("registry", registry),
          ("token", .string("t")),
        ])
        check(CargoSession().step(line), address, "cargo \(kind)")
      }
      check(
        "cargo",
        HelperCall([], environment: ["CARGO_REGISTRY_INDEX_URL": prefix + address.text]), address)
    }
  }

  @Test(arguments: cases.filter(\.isHost))
  func aHostAsksForNoOtherServer(_ address: Case) {
    let host = String(address.text.dropFirst("https://".count))
    for verb in ["get", "store", "erase"] {
      let lines = "protocol=https\nhost=\(host)\nusername=ada\npassword=p\n\n"
      check("git", HelperCall([verb], input: Array(lines.utf8)), address)
    }
    check("terraform", HelperCall(["get", host]), address)
    check("terraform", HelperCall(["store", host], input: Array(#"{"token":"t"}"#.utf8)), address)
    check("terraform", HelperCall(["forget", host]), address)
  }

  /// git splits a URL itself, so that a host with a part of another URL is a trick.
  @Test(arguments: [
    "git.example/evil", "git.example?x", "git.example#x", "git.example/..", "https://git.example",
    "git.example/@evil.example",
  ])
  func aHostWithMoreThanAHostIsRefused(host: String) {
    let lines = Array("protocol=https\nhost=\(host)\n\n".utf8)
    check("git", HelperCall(["get"], input: lines), Case(text: host, origin: nil))
    check("terraform", HelperCall(["get", host]), Case(text: host, origin: nil))
  }

  /// The last one is in force, as in the parsers of the clients.
  @Test func ofARepeatedNameTheLastIsInForce() {
    let evil = Case(text: "", origin: "https://evil.example")
    check(
      "git",
      HelperCall(
        ["get"], input: Array("protocol=https\nhost=git.example\nhost=evil.example\n\n".utf8)), evil
    )
    check(
      "docker",
      HelperCall(
        ["store"],
        input: Array(
          #"{"ServerURL":"git.example","ServerURL":"evil.example","Username":"a","Secret":"s"}"#
            .utf8)), evil)
    check(
      "bazel",
      HelperCall(
        ["get"],
        input: Array(#"{"uri":"https://git.example","\u0075ri":"https://evil.example"}"#.utf8)),
      evil)
  }

  private static func json(_ members: [(String, JSONValue)]) -> [UInt8] {
    JSONValue.object(members.map { .init($0.0, $0.1) }).bytes
  }

  private func check(_ name: String, _ call: HelperCall, _ address: Case) {
    guard let helper = HelperProtocol.named(name) else {
      Issue.record("no protocol \(name)")
      return
    }
    check(helper.begin(call), address, name)
  }

  private func check(_ step: HelperStep, _ address: Case, _ name: String) {
    guard case .asks(let request, _) = step else {
      // Some protocols name servers without a scheme, or refuse http.
      #expect(address.origin == nil, "\(name) did not ask")
      return
    }
    let origin = request.place?.address.origin
    if name == "keyring", address.origin == nil, origin == "https://keyring.invalid" { return }
    #expect(origin == address.origin, "\(name)")
  }
}
