import Testing
import TokenVaultTestSupport

/// An account that the real oidc-gen has made at the stub of a provider and encrypted.
@Suite(.timeLimit(.minutes(5)))
struct OIDCAgentStoreTests {
  private let home: StoreHome

  init() throws { home = try StoreHome() }

  private func run(_ script: String) throws -> ShellHome.Run {
    try home.run(
      """
      export OIDC_CONFIG_DIR="$HOME/.oidc-agent" no_proxy=127.0.0.1; mkdir -m 700 .oidc-agent
      mkfifo port; python3 -B '\(ClientHome.script("tokenstub.py"))' & P=$!; read N <port
      eval "$(oidc-agent 2>/dev/null)" >/dev/null; trap 'kill $P $OIDCD_PID' EXIT
      OIDC_ENCRYPTION_PW=pw OIDC_REFRESH_TOKEN=rt-of-user oidc-gen --rt-env --flow=refresh \
        --client-id=demo-client --client-secret= --issuer=http://127.0.0.1:$N/ \
        --scope='openid offline_access' --redirect-uri=http://localhost:8080 --confirm-yes \
        --pw-env --prompt=none demo </dev/null >/dev/null || echo oidc-gen failed
      \(script)
      """)
  }

  @Test func anAccountOfOIDCAgentComesInAsASecret() throws {
    let run = try run(
      """
      import oidc-agent demo >/dev/null; echo $?; export OIDC_ENCRYPTION_PW=pw
      import oidc-agent demo 2>notes | sed s/$N/PORT/; cat notes
      oidc-gen --print=demo --pw-env | import oidc-agent - 2>/dev/null | sed s/$N/PORT/
      tokenvault token --service http://127.0.0.1:$N
      import oidc-agent demo --remove --yes 2>/dev/null | tail -2; import oidc-agent nobody; echo $?
      """)
    #expect(
      run.output == """
        64
        added  demo-client  http://127.0.0.1:PORT
        1 secret stored in dev.tokenvault.shared.
        Created the group dev.tokenvault.shared.
        demo: the refresh token of the client demo-client, kept as a secret.
        unchanged  demo-client  http://127.0.0.1:PORT
        0 secrets stored in dev.tokenvault.shared.
        rt-of-stub
        stays  demo: oidc-gen --delete would revoke the token that was imported
        0 secrets stored in dev.tokenvault.shared.
        74

        """, "\(run.errors)")
    #expect(run.errors.contains("oidc-gen has to ask for the passphrase of \"demo\"."))
    #expect(!run.errors.contains("rt-of-stub"))
  }

  /// The token is worth more than a password, and belongs to no request at the issuer's host.
  @Test func theTokenIsServedToNoHelperAndNoRequestAndIsNotExported() throws {
    let run = try home.run(
      """
      config() { printf '{"name":"demo","issuer_url":"%s","client_id":"demo-client","refresh_token":"rt-secret"}' "$1"; }
      config https://git.example.com/realm | import oidc-agent - >/dev/null 2>&1
      add low https://git.example.com ada
      git_get() { printf 'protocol=https\nhost=git.example.com\npath=realm/x\n%s\n' "$1" | tokenvault credential git get; }
      git_get; git_get 'username=demo-client\n'
      printf 'protocol=https\nhost=git.example.com\npath=realm\nusername=demo-client\n\n' | tokenvault credential git erase
      for tool in git gcm gh; do export_to $tool --username demo-client; done
      for auth in '' '--auth basic' '--auth bearer'; do
        tokenvault request GET https://git.example.com/realm/x --service https://git.example.com/realm --account demo-client $auth; echo $?
      done
      tokenvault token --service https://git.example.com/realm --account demo-client
      """)
    #expect(
      run.output == """
        username=ada
        password=low
        Nothing is there to export.
        Nothing is there to export.
        Nothing is there to export.
        64
        64
        64
        rt-secret

        """, "\(run.errors)")
    #expect(
      run.errors.contains(
        "The stored secret is a refresh token, which only its own client may use."))
  }
}
