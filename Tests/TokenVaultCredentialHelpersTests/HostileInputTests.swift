import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultCredentialHelpers

/// Input that is not that of the protocol: the vault is not asked.
@Suite(.timeLimit(.minutes(2))) struct HostileInputTests {
  /// The input of each protocol that reads one, with the arguments.
  static let inputs: [(name: String, arguments: [String], input: String)] = [
    // git: NUL, CR, LF and `=` in lines.
    ("git", ["get"], ""), ("git", ["get"], "\n"), ("git", ["get"], "protocol=https"),
    ("git", ["get"], "host=git.example\n"), ("git", ["get"], "protocol=https\nhost=\n"),
    ("git", ["get"], "protocol=https\nhost=git.example\u{0}\n"),
    ("git", ["get"], "protocol=https\nhost=git.example\rhost=evil.example\n"),
    ("git", ["get"], "protocol=https\r\nhost=git.example\r\n"),
    ("git", ["get"], "protocol=https\nhost=git.example\nusername=a\rb\n"),
    ("git", ["get"], "protocol=https\nhost git.example\n"),
    ("git", ["get"], "protocol=https\n=git.example\nhost=git.example\n"),
    ("git", ["get"], "protocol=https\nhost==git.example\n"),
    ("git", ["get"], "protocol==https\nhost=git.example\n"),
    ("git", ["get"], "protocol=https\nhost=git.example=evil.example\n"),
    ("git", ["get"], "protocol=https\n\nhost=git.example\n"),
    ("git", ["get"], "protocol=cert\nhost=git.example\n"),
    ("git", ["get"], "PROTOCOL=https\nHOST=git.example\n"),
    ("git", ["get"], "protocol[]=https\nhost[]=git.example\n"),
    ("git", ["get"], "{\"protocol\":\"https\",\"host\":\"git.example\"}"),
    ("git", ["store"], "protocol=https\nhost=git.example\nusername=ada\n"),
    ("git", ["store"], "protocol=https\nhost=git.example\nusername=ada\npassword=\n"),
    ("git", ["store"], "protocol=https\nhost=git.example\npassword=x\n"),
    ("git", ["store"], "protocol=https\nhost=git.example\nusername=ada\npassword=a\rb\n"),
    ("git", ["store"], "protocol=https\nhost=git.example\nusername=ada\npassword=a\u{0}b\n"),
    ("git", ["GET"], "protocol=https\nhost=git.example\n"),
    ("git", ["get\n"], "protocol=https\nhost=git.example\n"),
    ("git", ["--get"], "protocol=https\nhost=git.example\n"),
    ("git", [""], "protocol=https\nhost=git.example\n"), ("git", [], "protocol=https\n"),
    // docker: several lines, broken JSON, wrong types.
    ("docker", ["get"], ""), ("docker", ["get"], "\n"), ("docker", ["get"], " \t\n"),
    ("docker", ["get"], "git.example\nevil.example"), ("docker", ["get"], "git.example\u{0}"),
    ("docker", ["get"], "a\rb"), ("docker", ["store"], ""), ("docker", ["store"], "{"),
    ("docker", ["store"], "[]"), ("docker", ["store"], "null"), ("docker", ["store"], "\"a\""),
    ("docker", ["store"], #"{"ServerURL":"a.example","Username":"u"}"#),
    ("docker", ["store"], #"{"ServerURL":"a.example","Username":"u","Secret":""}"#),
    ("docker", ["store"], #"{"ServerURL":["a.example"],"Username":"u","Secret":"s"}"#),
    ("docker", ["store"], #"{"ServerURL":"a.example","Username":7,"Secret":"s"}"#),
    ("docker", ["store"], #"{"ServerURL":"a.example","Username":"u","Secret":null}"#),
    ("docker", ["store"], #"{"serverurl":"a.example","username":"u","secret":"s"}"#),
    ("docker", ["store"], #"{"ServerURL":"a.example","Username":"u","Secret":"s"} x"#),
    ("docker", ["erase"], ""), ("docker", ["GET"], "git.example"), ("docker", [], "git.example"),
    // terraform
    ("terraform", ["store", "a.example"], ""), ("terraform", ["store", "a.example"], "{}"),
    ("terraform", ["store", "a.example"], "{\"token\":"),
    ("terraform", ["store", "a.example"], "[\"token\"]"),
    ("terraform", ["store", "a.example"], "{\"token\":null}"),
    ("terraform", ["store", "a.example"], "{\"token\":\"\"}"),
    ("terraform", ["store", "a.example"], "{\"token\":\"a\\nb\"}"),
    ("terraform", ["store", "a.example"], "{\"token\":{\"token\":\"a\"}}"),
    ("terraform", ["store", "a.example"], "{\"Token\":\"a\"}"),
    ("terraform", ["store"], "{\"token\":\"a\"}"), ("terraform", [], ""),
    ("terraform", ["get", "a.example", "b.example"], ""), ("terraform", ["a.example", "get"], ""),
    ("terraform", ["GET", "a.example"], ""), ("terraform", ["get", ""], ""),
    // bazel
    ("bazel", ["get"], ""), ("bazel", ["get"], "https://a.example"), ("bazel", ["get"], "{}"),
    ("bazel", ["get"], "{\"uri\":7}"), ("bazel", ["get"], "{\"uri\":null}"),
    ("bazel", ["get"], "{\"uri\":[\"https://a.example\"]}"),
    ("bazel", ["get"], "[{\"uri\":\"https://a.example\"}]"),
    ("bazel", ["get"], "{\"uri\":\"https://a.example\""),
    ("bazel", ["get"], "{\"uri\":\"https://a.example\"}{}"),
    ("bazel", ["get"], "{\"uri\":\"https://a.exa\\u0000mple\"}"),
    ("bazel", ["get"], "{\"uri\":\"\\ud800\"}"), ("bazel", [], "{\"uri\":\"https://a.example\"}"),
    ("bazel", ["get", "get"], "{\"uri\":\"https://a.example\"}"),
    // keyring
    ("keyring", ["set", "a.example", "ada"], ""), ("keyring", ["set", "a.example", "ada"], "\n"),
    ("keyring", ["set", "a.example"], "pw"), ("keyring", ["set"], "pw"), ("keyring", [], ""),
    ("keyring", ["get", "", "ada"], ""), ("keyring", ["get", "a.example", "a\nb"], ""),
    ("keyring", ["get", "a\u{0}b", "ada"], ""), ("keyring", ["get", "a.example", "ada", "x"], ""),
    ("keyring", ["get", "--mode", "all", "a.example", "ada"], ""),
    ("keyring", ["get", "--mode"], ""), ("keyring", ["get", "--mode", "--output", "a", "b"], ""),
    ("keyring", ["del", "a.example"], ""), ("keyring", ["diagnose"], ""),
    ("keyring", ["--list-backends"], ""), ("keyring", ["--disable"], ""),
    // The others read no input.
    ("aws", [], ""), ("aws", ["a.example", "b.example"], ""), ("aws", ["--username"], ""),
    ("aws", ["--username", "--", "a.example"], ""), ("aws", ["--username=", "a.example"], ""),
    ("aws", ["--username=a\nb", "a.example"], ""), ("aws", ["--profile", "x", "a.example"], ""),
    ("aws", ["--username=a", "--username=b", "a.example"], ""),
    ("pnpm", [], ""), ("pnpm", ["a.example"], ""), ("pnpm", ["-x", "https://a.example"], ""),
    ("goauth", ["a.example"], ""), ("goauth", [""], ""), ("goauth", ["-x"], ""),
    ("kubernetes", ["--scope", "a"], ""), ("kubernetes", [], ""), ("google", [], ""),
    ("azure", [], ""), ("azure", ["login"], ""), ("azure", ["account"], ""),
    ("azure", ["account", "show"], ""), ("azure", ["--version"], ""),
    ("azure", ["account", "get-access-token", "--resource"], ""),
    ("azure", ["account", "get-access-token", "--resource", ""], ""),
    ("azure", ["account", "get-access-token", "--resource", "a\nb"], ""),
    ("azure", ["account", "get-access-token", "--scope", "a\u{0}"], ""),
    ("azure", ["account", "get-access-token", "--scope", "a", "--resource", "b"], ""),
    ("azure", ["account", "get-access-token", "--resource-type", "x"], ""),
    ("azure", ["account", "get-access-token", "-o", "yaml"], ""),
    ("azure", ["account", "get-access-token", "--query", "[accessToken]"], ""),
    ("azure", ["account", "get-access-token", "extra"], ""),
    ("azure-developer", [], ""), ("azure-developer", ["auth", "login"], ""),
    ("azure-developer", ["auth", "token", "--scope", ""], ""),
    ("azure-developer", ["auth", "token", "--scope", "a b"], ""),
    ("azure-developer", ["auth", "token", "--claims", "not base64!"], ""),
    ("azure-developer", ["auth", "token", "--claims", "/w=="], ""),
    ("azure-developer", ["auth", "token", "-o", "none"], ""),
    ("azure-developer", ["auth", "token", "--tenant-id", "a", "--tenant-id", "b"], ""),
    ("mail", ["--mechanism", "login"], ""), ("mail", ["--port", "0"], ""),
    ("mail", ["--port", "70000"], ""), ("mail", ["--port", "143x"], ""),
    ("mail", ["--host", "a.example:143"], ""), ("mail", ["--host", "a\u{1}auth=x"], ""),
    ("mail", ["--user", "a\u{1}auth=Bearer x"], ""), ("mail", ["--user", ""], ""),
    ("mail", ["ada"], ""), ("cargo", [], ""),
  ]

  @Test(arguments: inputs.indices)
  func theVaultIsNotAskedForMalformedInput(_ index: Int) throws {
    let (name, arguments, input) = Self.inputs[index]
    let helper = try #require(HelperProtocol.named(name))
    let step = helper.begin(HelperCall(arguments, input: Array(input.utf8)))
    guard case .answered(let answer) = step else {
      Issue.record("\(name) \(arguments) \(input.debugDescription) asked the vault")
      return
    }
    // git, Go and Bazel take silence and empty headers for "none"; the others report an error.
    let output = String(decoding: answer.output.reveal(), as: UTF8.self)
    if answer.status == 0 {
      #expect(
        output.isEmpty || output == "{\"headers\":{}}\n" || output.contains("\"success\":false"))
    }
    #expect(!answer.message.contains("\u{0}"))
    #expect(!answer.message.hasControlCharacters, "\(answer.message.debugDescription)")
  }

  @Test(arguments: [
    "", "null", "[]", "{}", "{\"v\":1}", "{\"v\":\"1\",\"kind\":\"get\"}", "\u{0}", "get",
    "{\"v\":1",
    #"{"v":1.0,"kind":"get","registry":{"index-url":"https://a.example"}}"#,
    #"{"v":1,"kind":"get","registry":"https://a.example"}"#,
    #"{"v":1,"kind":"get","registry":{"index-url":["https://a.example"]}}"#,
    #"{"v":1,"kind":"GET","registry":{"index-url":"https://a.example"}}"#,
    #"{"v":1,"kind":["get"],"registry":{"index-url":"https://a.example"}}"#,
    #"{"v":1,"kind":"login","registry":{"index-url":"https://a.example"},"token":"a\nb"}"#,
    #"{"v":1,"kind":"login","registry":{"index-url":"https://a.example"},"token":{}}"#,
    #"{"v":1,"kind":"get","registry":{"index-url":"sparse+sparse+https://a.example"}}"#,
    #"{"v":1,"kind":"get","registry":{"index-url":"registry+https://a.example"}}"#,
  ])
  func aMalformedRequestOfCargoIsAnError(line: String) throws {
    guard case .answered(let answer) = CargoSession().step(Array(line.utf8)) else {
      Issue.record("the vault was asked")
      return
    }
    let output = answer.output.reveal()
    #expect(output.last == 0x0a && output.count { $0 == 0x0a } == 1)
    #expect(try JSONValue(parsing: output)["Err"]?["kind"]?.text != nil)
  }

  @Test func aLongLineOfGitIsRefused() throws {
    let helper = try #require(HelperProtocol.named("git"))
    for (count, isRead) in [(65_534, true), (65_535, false), (HelperCall.inputLimit, false)] {
      let line = "username=" + String(repeating: "a", count: count - "username=".count)
      let input = "protocol=https\nhost=git.example\n\(line)\n\n"
      let step = helper.begin(HelperCall(["get"], input: Array(input.utf8)))
      if case .asks = step { #expect(isRead) } else { #expect(!isRead) }
    }
  }

  @Test func deepAndLongJSONIsAnError() throws {
    let deep = Array(String(repeating: "[", count: 100_000).utf8)
    let long = Array("{\"uri\":\"".utf8) + [UInt8](repeating: 0x61, count: HelperCall.inputLimit)
    for name in ["docker", "bazel", "terraform"] {
      let helper = try #require(HelperProtocol.named(name))
      let arguments = ["docker": ["store"], "bazel": ["get"], "terraform": ["store", "a.example"]]
      for input in [deep, long] {
        guard
          case .answered(let answer) = helper.begin(
            HelperCall(arguments[name] ?? [], input: input))
        else {
          Issue.record("\(name) asked the vault")
          continue
        }
        #expect(answer.status == 1)
      }
    }
    if case .asks = CargoSession().step(deep) { Issue.record("cargo asked the vault") }
  }
}
