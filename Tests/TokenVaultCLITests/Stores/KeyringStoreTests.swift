import Foundation
import Testing
import TokenVaultTestSupport

/// The items of Git Credential Manager and gh in the Secret Service. Neither program is in Debian in a
/// version that speaks to it, so secret-tool writes the items as their sources do.
@Suite(.timeLimit(.minutes(5)))
struct KeyringStoreTests {
  /// src/shared/Core/Interop/Linux/SecretServiceCollection.cs of git-credential-manager: the schema,
  /// `service` with the namespace "git:" in front of the address, `account`.
  private static let manager = """
    gcm() { secret-tool store --label="$1" xdg:schema com.microsoft.GitCredentialManager service "$@"; }

    """

  @Test func itemsOfGitCredentialManagerComeInAndGoOut() throws {
    let run = try StoreHome().run(
      Self.manager + """
        printf one | gcm git:https://github.com account ada
        printf two | gcm git:https://dev.azure.com/contoso account bob
        printf rt | gcm git:https://git.example.com/refresh_token account OAUTH_USER
        printf four | gcm git:https://nobody.example
        printf five | gcm git:http://a.example/https://github.com account eve
        import gcm; echo $?
        import gcm --remove --yes 2>/dev/null | grep -c ^removed
        secret-tool lookup service git:https://github.com account ada
        secret-tool lookup service git:https://nobody.example; echo
        tokenvault token --service https://github.com --account eve 2>/dev/null
        export_to gcm --service https://github.com 2>/dev/null
        secret-tool lookup service git:https://github.com account ada
        """)
    #expect(
      run.output == """
        added  eve  http://a.example/https://github.com
        added  bob  https://dev.azure.com/contoso
        added  OAUTH_USER  https://git.example.com/refresh_token
        added  ada  https://github.com
        left out  git:https://nobody.example: it has no user name
        4 secrets stored in dev.tokenvault.shared.
        1
        4
        four
        written  ada  https://github.com
        one
        """, "\(run.errors)")
    #expect(
      run.errors.contains("refresh_token: a refresh token without its client, kept as a secret."))
  }

  /// keyring_unix.go of zalando/go-keyring has the attributes; internal/config/config.go of cli/cli
  /// has the service, and the item without a user name for the active account.
  private static let gh = """
    gh_item() { secret-tool store --label="Password for '$2' on '$1'" username "$2" service "$1"; }
    mkdir -p .config/gh
    cat >.config/gh/hosts.yml <<'END'
    github.com:
        git_protocol: https
        users:
            ada:
            bob:
        user: ada
    ghe.example.com:
        users:
            "carol":
                oauth_token: gho_plain
        oauth_token: gho_plain
        user: carol
    END
    printf gho_ada | gh_item gh:github.com ada
    printf gho_ada | gh_item gh:github.com ''
    printf gho_bob | gh_item gh:github.com bob

    """

  @Test func accountsOfGHComeInWithTheNamesOfItsFile() throws {
    let run = try StoreHome().run(
      Self.gh + """
        import gh 2>/dev/null; echo $?
        tokenvault token --service https://github.com --account bob
        tokenvault token --service https://ghe.example.com
        import gh --remove --yes 2>/dev/null; echo $?
        secret-tool search --all service gh:github.com; grep -c gho_plain .config/gh/hosts.yml
        """)
    #expect(
      run.output == """
        added  ada  https://github.com
        unchanged  ada  https://github.com
        added  bob  https://github.com
        added  carol  https://ghe.example.com
        3 secrets stored in dev.tokenvault.shared.
        0
        gho_bob
        gho_plain
        unchanged  ada  https://github.com
        removed  gh:github.com (the active account)
        unchanged  ada  https://github.com
        removed  gh:github.com ada
        unchanged  bob  https://github.com
        removed  gh:github.com bob
        unchanged  carol  https://ghe.example.com
        stays  hosts.yml ghe.example.com carol: it is in hosts.yml: gh auth logout --hostname \
        ghe.example.com
        0 secrets stored in dev.tokenvault.shared.
        1
        2

        """, "\(run.errors)")
  }

  /// `gh auth login --with-token` as pkg/cmd/auth/login/login.go and AuthConfig.Login in
  /// internal/config/config.go of cli/cli have it: it asks the host whose token it is, stores it under
  /// that name, removes the token of the active account, and makes this one active. This stub takes
  /// the owner from the token, `gho_OWNER_…`.
  private static let login = """
    mkdir bin; cat >bin/gh <<'END'
    #!/bin/sh
    [ "$1 $2 $3 $5" = "auth login --hostname --with-token" ] || exit 2
    token=$(cat); owner=${token#gho_}; owner=${owner%%_*}
    [ "$owner" != nobody ] || { echo "error validating token: HTTP 401" >&2; exit 1; }
    item() { printf %s "$token" | secret-tool store --label="Password for '$1' on '$2'" username "$1" service "$2"; }
    item "$owner" "gh:$4"
    secret-tool clear service "gh:$4" username ''
    item '' "gh:$4"
    printf '%s:\n    user: %s\n    users:\n        %s:\n' "$4" "$owner" "$owner" >"$HOME/.config/gh/hosts.yml"
    END
    chmod +x bin/gh; PATH="$HOME/bin:$PATH"; mkdir -p .config/gh
    shown() { secret-tool search --all service gh:github.com 2>&1 | grep '^secret = \\|username' | sort; }

    """

  @Test func anExportToGHReplacesNoTokenAndNoActiveAccountUnasked() throws {
    let run = try StoreHome().run(
      Self.login + """
        add gho_ada_1 https://github.com ada; export_to gh --dry-run 2>/dev/null; export_to gh; shown
        export_to gh 2>/dev/null; add gho_ada_2 https://github.com Ada
        export_to gh --username Ada --dry-run 2>/dev/null; export_to gh --username Ada 2>/dev/null; echo $?; shown
        export_to gh --username Ada --force 2>/dev/null; shown
        """)
    #expect(
      run.output == """
        written  ada  https://github.com
        written  ada  https://github.com
        attribute.username = 
        attribute.username = ada
        secret = gho_ada_1
        secret = gho_ada_1
        unchanged  ada  https://github.com
        left out  Ada  https://github.com: gh has a token for this host, and would make this account \
        the active one; --force lets it
        left out  Ada  https://github.com: gh has a token for this host, and would make this account \
        the active one; --force lets it
        1
        attribute.username = 
        attribute.username = ada
        secret = gho_ada_1
        secret = gho_ada_1
        written  Ada  https://github.com
        attribute.username = 
        attribute.username = ada
        secret = gho_ada_2
        secret = gho_ada_2

        """, "\(run.errors)")
  }

  @Test func aTokenThatGHKeepsUnderAnotherNameOrRefusesIsNamed() throws {
    let run = try StoreHome().run(
      Self.login + """
        add gho_bob_1 https://github.com ada; export_to gh; echo $?
        add gho_nobody_1 https://ghe.example.com eve; add p https://git.example.com/team fay
        export_to gh --service https://ghe.example.com; export_to gh --username fay; echo $?
        add gho_ada_1 https://ghe.example.com ada
        PATH=$(dirname "$(command -v tokenvault)"); export_to gh --username ada --force; echo $?
        """)
    #expect(
      run.output == """
        left out  ada  https://github.com: gh has it under another user name, whose token it is: gh \
        auth status
        1
        left out  eve  https://ghe.example.com: gh did not accept it: error validating token: HTTP 401
        left out  fay  https://git.example.com/team: gh knows hosts only, with https
        1
        left out  ada  https://ghe.example.com: The program gh is not installed.
        left out  ada  https://github.com: it was not tried
        66

        """, "\(run.errors)")
    #expect(run.errors.contains("now has 1 copy outside the vault"), "\(run.errors)")
  }

  /// A search that names the schema finds nothing in a locked keyring.
  @Test func aLockedKeyringBesideTheDefaultOneIsNamed() throws {
    let home = try StoreHome()
    let keyrings = home.service.directory.appending(path: "home/.local/share/keyrings")
    try FileManager.default.createDirectory(at: keyrings, withIntermediateDirectories: true)
    try Data("[keyring]\ndisplay-name=Second\nctime=0\nmtime=0\n".utf8)
      .write(to: keyrings.appending(path: "second.keyring"))
    try home.service.unlock()
    try home.service.call(
      "Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/second")
    let run = try home.run("import git; echo $?")
    #expect(
      run.output == "git-credential-libsecret has no item that could come in.\n0\n",
      "\(run.errors)")
    #expect(
      run.errors.contains("The keyring \"Second\" is locked, and its items were not looked for."),
      "\(run.errors)")
  }

  @Test func aLockedKeyringIsNotAskedForWithoutInput() throws {
    let run = try StoreHome(.locked).run("import git; echo $?; import gh; echo $?")
    #expect(run.output == "77\n77\n", "\(run.errors)")
    #expect(run.errors.contains("The keyring is locked."))
  }

  @Test func withoutAKeyringTheImportSaysSo() throws {
    let run = try StoreHome(.noBus).run("import gcm; echo $?; import gcm --json")
    #expect(run.output == "69\n", "\(run.errors)")
    #expect(run.errors.contains("\"code\":"), "\(run.errors)")
  }

  @Test func storesThatTakeNoExportSayWhy() throws {
    let run = try StoreHome(.noBus).run(
      "export_to keepassxc; echo $?; export_to oidc-agent; echo $?; import gcm file; echo $?")
    #expect(run.output == "64\n64\n64\n")
    #expect(run.errors.contains("next: keepassxc-cli add --password-prompt "), "\(run.errors)")
    #expect(run.errors.contains("An account of oidc-agent is made by oidc-gen only."))
  }
}
