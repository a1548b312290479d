import Foundation
import Testing
import TokenVaultTestSupport

/// The backend of Clients/python in real keyring, with real pip and twine and a package index on
/// loopback.
@Suite(.timeLimit(.minutes(5)))
struct KeyringBackendTests {
  private let client: ClientHome

  init() throws { client = try ClientHome("packageindex.py", helpers: []) }

  private static let source = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Clients/python").standardizedFileURL.path

  /// Builds in a copy, as setuptools writes beside the sources. The wheel brings the entry point.
  private func run(_ script: String) throws -> ShellHome.Run {
    try client.run(
      """
      cp -R '\(Self.source)' source
      python3 -m pip install -q --disable-pip-version-check --no-index --no-deps \
        --no-build-isolation --no-cache-dir --target backend ./source
      export PYTHONPATH="$PWD/backend"
      I=http://127.0.0.1:$N
      \(script)
      """)
  }

  private static let add = "echo one | tokenvault add -q --service $I --username ada >/dev/null\n"

  @Test func keyringStoresInTheVaultAndNotInTheSecretService() throws {
    let run = try run(
      """
      echo one | keyring set $I ada; tokenvault token --service $I
      keyring get $I ada; keyring --mode creds get $I
      PYTHON_KEYRING_BACKEND=keyring.backends.SecretService.Keyring keyring get $I ada || echo none
      keyring del $I ada; keyring get $I ada || echo $?
      tokenvault list -g dev.tokenvault.shared --json
      """)
    #expect(run.output == "one\none\nada\none\nnone\n1\n[]\n", "\(run.errors)")
  }

  @Test func aPasswordOfAnyTextComesBackFromThePythonInterface() throws {
    let run = try run(
      #"""
      python3 - <<'END'
      import keyring
      for service, text in ("My.App", "\"q\" 'é\\ \u2603"), ("--mode", " two\nlines\n"), ("x y", "0"):
          keyring.set_password(service, "ada", text)
          assert keyring.get_password(service, "ada") == text, service
      assert keyring.get_password("My.App", "bob") is None
      print("same")
      END
      """#)
    #expect(run.output == "same\n", "\(run.errors)")
  }

  @Test func aFailureIsAnErrorAndNotAMissingPassword() throws {
    let run = try run(
      """
      TOKENVAULT_HOME=relative python3 - <<'END'
      import keyring, tokenvault_keyring
      try:
          tokenvault_keyring.Keyring().get_password("https://a.example", "ada")
      except keyring.errors.KeyringError as error:
          print("TOKENVAULT_HOME" in str(error))
      END
      """)
    #expect(run.output == "True\n", "\(run.errors)")
  }

  @Test func aURLWithUserInformationNeverBecomesAnArgument() throws {
    let run = try run(
      """
      mkdir fake; printf '#!/bin/sh\\necho "$@" >>'"'$PWD/arguments'"'; exit 1\\n' >fake/tokenvault
      chmod +x fake/tokenvault; touch arguments
      PATH="$PWD/fake:$PATH" python3 - <<'END'
      import keyring, tokenvault_keyring
      backend = tokenvault_keyring.Keyring()
      operations = [backend.get_password, backend.get_credential, backend.delete_password,
                    lambda service, user: backend.set_password(service, user, "one")]
      for service in "https://ada:s3cret@a.example/x", "https://s3cret@a.example", "//ada:s3cret@a.example":
          for operation in operations:
              try:
                  operation(service, "ada")
              except keyring.errors.KeyringError as error:
                  print("s3cret" not in str(error))
      assert backend.get_password("https://a.example/@scope", "ada") is None
      assert backend.get_password("ada@a.example", "ada") is None
      END
      cut -d' ' -f3,9- arguments
      """)
    let answers = String(repeating: "True\n", count: 12)
    #expect(
      run.output == answers + "get https://a.example/@scope ada\nget ada@a.example ada\n",
      "\(run.errors)")
  }

  @Test func pipImportsKeyringAndGetsThePassword() throws {
    let run = try run(
      Self.add
        + """
        pip download -q --no-deps --no-cache-dir -d out --keyring-provider import --no-input \
          --isolated -i http://ada@127.0.0.1:$N/simple hello
        ls out; grep one log | sort -u
        """)
    #expect(run.output == "hello-1.0-py3-none-any.whl\nada:one\n", "\(run.errors)")
  }

  @Test(arguments: ["", "-u ada"])
  func twineUploadsWithThePassword(user: String) throws {
    let run = try run(
      Self.add
        + """
        python3 - <<END
        import urllib.request as r
        request = r.Request("$I/hello-1.0-py3-none-any.whl", headers={"Authorization": "Basic YWRhOm9uZQ=="})
        open("hello-1.0-py3-none-any.whl", "wb").write(r.urlopen(request).read())
        END
        twine upload --non-interactive \(user) --repository-url $I hello-1.0-py3-none-any.whl >out ||
          cat out
        tail -2 log
        """)
    #expect(run.output == "ada:one\nuploaded\n", "\(run.errors)")
  }
}
