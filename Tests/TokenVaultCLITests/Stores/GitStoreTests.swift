import Testing
import TokenVaultTestSupport

/// The items of git's own helper for libsecret, which is built from its source and run.
@Suite(.timeLimit(.minutes(5)))
struct GitStoreTests {
  private let home: StoreHome

  init() throws {
    home = try StoreHome()
    try home.buildGitHelper()
  }

  /// Runs a script with `credential VERB LINE…`.
  private func run(_ script: String) throws -> ShellHome.Run {
    try home.run(
      """
      credential() { verb=$1; shift; printf '%s\\n' "$@" | bin/git-credential-libsecret $verb; }
      stored() { credential store "$@" >/dev/null; }
      \(script)
      """)
  }

  private static let stored = """
    stored protocol=https host=git.example.com username=ada password=one
    stored protocol=https host=git.example.com:8443 path=team/a.git username=bob password='two words'

    """

  @Test func itemsOfGitsHelperComeInAndASecondImportChangesNothing() throws {
    let run = try run(
      Self.stored + """
        import git --dry-run 2>/dev/null; tokenvault list -g dev.tokenvault.shared --no-header 2>/dev/null
        import git 2>/dev/null; import git 2>/dev/null; echo $?
        tokenvault token --service https://git.example.com --account ada
        tokenvault token --service https://git.example.com:8443/team/a.git
        """)
    #expect(
      run.output == """
        added  ada  https://git.example.com
        added  bob  https://git.example.com:8443/team/a.git
        2 secrets would be stored in dev.tokenvault.shared.
        added  ada  https://git.example.com
        added  bob  https://git.example.com:8443/team/a.git
        2 secrets stored in dev.tokenvault.shared.
        unchanged  ada  https://git.example.com
        unchanged  bob  https://git.example.com:8443/team/a.git
        0 secrets stored in dev.tokenvault.shared.
        0
        one
        two words

        """, "\(run.errors)")
  }

  @Test func aSecretThatDiffersIsNamedAndReplacedOnlyByForce() throws {
    let run = try run(
      Self.stored + """
        add three https://git.example.com ada
        import git 2>/dev/null; echo $?; tokenvault token --service https://git.example.com
        import git --force 2>/dev/null; echo $?; tokenvault token --service https://git.example.com
        """)
    #expect(
      run.output == """
        left out  Git: https://git.example.com/: the group has another secret for ada at \
        https://git.example.com; --force replaces it
        added  bob  https://git.example.com:8443/team/a.git
        1 secret stored in dev.tokenvault.shared.
        1
        three
        replaced  ada  https://git.example.com
        unchanged  bob  https://git.example.com:8443/team/a.git
        1 secret stored in dev.tokenvault.shared.
        0
        one

        """, "\(run.errors)")
  }

  /// A server for files has an item of the same schema, as gvfs stores it.
  @Test func removedItemsAreGoneAndItemsOfOtherProgramsStay() throws {
    let run = try run(
      Self.stored + """
        printf files | secret-tool store --label=files xdg:schema org.gnome.keyring.NetworkPassword \
          user ada protocol smb server files.example.com
        stored protocol=ftp host=ftp.example.com username=ada password=four
        import git --remove 2>refused; echo $?
        import git --remove --yes 2>errors; echo $?; cat errors
        credential get protocol=https host=git.example.com
        credential get protocol=https host=git.example.com:8443 path=team/a.git
        secret-tool lookup server files.example.com; echo; tokenvault token --service https://git.example.com
        """)
    #expect(
      run.output == """
        left out  Git: ftp://ftp.example.com/: its address is not one of a service
        added  ada  https://git.example.com
        added  bob  https://git.example.com:8443/team/a.git
        2 secrets stored in dev.tokenvault.shared.
        77
        left out  Git: ftp://ftp.example.com/: its address is not one of a service
        unchanged  ada  https://git.example.com
        removed  Git: https://git.example.com/
        unchanged  bob  https://git.example.com:8443/team/a.git
        removed  Git: https://git.example.com:8443/team/a.git
        0 secrets stored in dev.tokenvault.shared.
        1
        From git-credential-libsecret:
          Git: https://git.example.com/
          Git: https://git.example.com:8443/team/a.git
        files
        one

        """, "\(run.errors)")
  }

  /// Newer versions of git put an expiry and a refresh token into lines behind the password.
  @Test func theLinesOfNewerVersionsComeAlongAndAreNoPartOfThePassword() throws {
    let run = try run(
      """
      printf 'one\\npassword_expiry_utc=4000000000\\noauth_refresh_token=rt\\n' |
        secret-tool store --label='Git: https://git.example.com/' xdg:schema org.git.Password \
          user ada protocol https server git.example.com
      import git 2>/dev/null; printf 'protocol=https\\nhost=git.example.com\\n\\n' |
        tokenvault credential git get | sort
      """)
    #expect(
      run.output == """
        added  ada  https://git.example.com
        1 secret stored in dev.tokenvault.shared.
        oauth_refresh_token=rt
        password=one
        password_expiry_utc=4000000000
        username=ada

        """, "\(run.errors)")
  }

  /// An item whose password the group has already may have more than the group.
  @Test func aRefreshTokenThatTheGroupLacksComesInBeforeItsItemIsRemoved() throws {
    let run = try run(
      """
      item() { secret-tool store --label="Git: https://$1/" xdg:schema org.git.Password user ada protocol https server "$1"; }
      printf 'one\npassword_expiry_utc=4000000000\noauth_refresh_token=rt\n' | item a.example
      printf 'two\nstate=kept\n' | item b.example
      add one https://a.example ada; add two https://b.example ada
      import git 2>/dev/null; import git --remove --yes 2>/dev/null
      printf 'protocol=https\nhost=a.example\n\n' | tokenvault credential git get | sort
      printf 'one\noauth_refresh_token=other\n' | item a.example; import git 2>/dev/null | head -1
      secret-tool lookup server b.example
      """)
    #expect(
      run.output == """
        updated  ada  https://a.example
        unchanged  ada  https://b.example
        1 secret stored in dev.tokenvault.shared.
        unchanged  ada  https://a.example
        removed  Git: https://a.example/
        unchanged  ada  https://b.example
        stays  Git: https://b.example/: the vault does not have its 1 other line
        0 secrets stored in dev.tokenvault.shared.
        oauth_refresh_token=rt
        password=one
        password_expiry_utc=4000000000
        username=ada
        left out  Git: https://a.example/: the group has another refresh token for ada at \
        https://a.example; --force replaces it
        two
        state=kept

        """, "\(run.errors)")
  }

  /// gnome-keyring, asked to replace an item, replaces one with these attributes and more.
  @Test func anExportChangesNoItemOfAnotherPlaceOrProgram() throws {
    let run = try run(
      """
      network() { label=$1; shift; secret-tool store --label="$label" xdg:schema org.gnome.keyring.NetworkPassword protocol https server git.example.com "$@"; }
      printf plain | secret-tool store --label=plain user ada protocol https server git.example.com
      printf files | network files user ada
      printf path | network 'Git: https://git.example.com/team/a' user ada object team/a
      printf port | network 'Git: https://git.example.com:8443/' user bob port 8443
      add one https://git.example.com ada; add two https://git.example.com bob
      export_to git --dry-run 2>/dev/null; export_to git 2>/dev/null; echo $?; export_to git --force 2>/dev/null
      secret-tool search --all protocol https 2>/dev/null | grep '^secret' | sort
      """)
    #expect(
      run.output == """
        written  ada  https://git.example.com
        written  bob  https://git.example.com
        written  ada  https://git.example.com
        written  bob  https://git.example.com
        0
        unchanged  ada  https://git.example.com
        unchanged  bob  https://git.example.com
        secret = files
        secret = one
        secret = path
        secret = plain
        secret = port
        secret = two

        """, "\(run.errors)")
  }

  @Test func anExportSaysWhatItDoesNotWriteAndARehearsalWhatItWouldLeaveOut() throws {
    let run = try run(
      """
      printf 'one\npassword_expiry_utc=4000000000\noauth_refresh_token=rt\n' |
        secret-tool store --label='Git: https://a.example/' xdg:schema org.git.Password \
          user ada protocol https server a.example
      import git --remove --yes >/dev/null 2>&1; export_to git 2>&1
      add two https://b.example ada; stored protocol=https host=b.example username=ada password=other
      export_to git --service https://b.example --dry-run 2>/dev/null; echo $?
      """)
    #expect(
      run.output == """
        written  ada  https://a.example
        ada at https://a.example: not exported: expiry, refresh token.
        The Secret Service now has 1 copy outside the vault, which a sign-out does not erase.
        left out  ada  https://b.example: the store has another secret there; --force replaces it
        1

        """, "\(run.errors)")
  }

  @Test func gitsHelperFindsWhatWasExported() throws {
    let run = try run(
      """
      add one https://git.example.com ada; add two https://git.example.com:8443/team/a.git bob
      export_to git --service https://git.example.com 2>/dev/null
      export_to git 2>/dev/null; echo $?
      credential get protocol=https host=git.example.com username=ada
      credential get protocol=https host=git.example.com:8443 path=team/a.git
      stored protocol=https host=git.example.com username=ada password=other
      export_to git --username ada; echo $?
      export_to git --username ada --force 2>/dev/null
      credential get protocol=https host=git.example.com username=ada
      """)
    #expect(
      run.output == """
        written  ada  https://git.example.com
        unchanged  ada  https://git.example.com
        written  bob  https://git.example.com:8443/team/a.git
        0
        username=ada
        password=one
        username=bob
        password=two
        left out  ada  https://git.example.com: the store has another secret there; --force \
        replaces it
        1
        written  ada  https://git.example.com
        username=ada
        password=one

        """, "\(run.errors)")
  }
}
