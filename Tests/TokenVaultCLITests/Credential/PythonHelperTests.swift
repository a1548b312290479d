import Foundation
import Testing
import TokenVaultTestSupport

/// The helper as `keyring`, with real pip and uv and a package index on loopback.
@Suite(.timeLimit(.minutes(5)))
struct PythonHelperTests {
  private let client: ClientHome

  init() throws { client = try ClientHome("packageindex.py", helpers: ["keyring"]) }

  private static let add =
    "echo one | tokenvault add --quiet --service http://127.0.0.1:$N --username ada >/dev/null\n"

  /// The pip of the virtual environment.
  private static let pip =
    "pip download -q --no-deps --no-cache-dir -d out --keyring-provider subprocess --no-input --isolated"

  @Test(arguments: ["", "ada@"])
  func pipGetsThePassword(user: String) throws {
    let run = try client.run(
      Self.add
        + "\(Self.pip) -i http://\(user)127.0.0.1:$N/simple hello; ls out; grep one log | sort -u")
    #expect(run.output == "hello-1.0-py3-none-any.whl\nada:one\n", "\(run.errors)")
  }

  /// Without a user name in the URL, uv asks only for an index that always demands a password.
  @Test(arguments: [("", "authenticate = 'always'"), ("ada@", "")])
  func uvGetsThePassword(user: String, setting: String) throws {
    let run = try client.run(
      Self.add
        + """
        cat >uv.toml <<END
        [[index]]
        name = "local"
        url = "http://\(user)127.0.0.1:$N/simple"
        default = true
        \(setting)
        END
        uv pip install -q --no-cache --config-file uv.toml --keyring-provider subprocess \
          --target out hello
        ls out/hello.py; grep one log | sort -u
        """)
    #expect(run.output == "out/hello.py\nada:one\n", "\(run.errors)")
  }

  @Test func anotherIndexGetsNothing() throws {
    let run = try client.run(
      """
      echo one | tokenvault add --quiet --service http://127.0.0.1:1 --username ada >/dev/null
      \(Self.pip) -i http://127.0.0.1:$N/simple hello >/dev/null || echo refused; cat log
      """)
    #expect(run.output == "refused\n", "\(run.errors)")
  }
}
