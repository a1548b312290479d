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
        import gcm; echo $?
        import gcm --remove --yes 2>/dev/null | grep -c ^removed
        secret-tool lookup service git:https://github.com account ada
        secret-tool lookup service git:https://nobody.example; echo
        export_to gcm --service https://github.com 2>/dev/null
        secret-tool lookup service git:https://github.com account ada
        """)
    #expect(
      run.output == """
        added  bob  https://dev.azure.com/contoso
        added  OAUTH_USER  https://git.example.com/refresh_token
        added  ada  https://github.com
        left out  git:https://nobody.example: it has no user name
        3 secrets stored in dev.tokenvault.shared.
        1
        3
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
