import Testing
import TokenVaultTestSupport

/// Entries of the real `pass`, with a key of the real GnuPG that has no passphrase.
@Suite(.timeLimit(.minutes(5)))
struct PassStoreTests {
  private let home: StoreHome

  init() throws { home = try StoreHome() }

  /// Runs a script with a password store. `insert NAME LINE…` stores an entry.
  private func run(_ script: String) throws -> ShellHome.Run {
    try home.run(
      """
      export GNUPGHOME="$HOME/gnupg"; mkdir -m 700 gnupg
      trap 'gpgconf --kill all' EXIT
      gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-generate-key ada default default never 2>/dev/null
      pass init ada >/dev/null
      git config --global user.name a; git config --global user.email a@example.com
      insert() { name=$1; shift; printf '%s\\n' "$@" | pass insert --multiline "$name" >/dev/null; }
      \(script)
      """)
  }

  /// The layouts of browserpass, pass-git-helper and docker-credential-pass.
  private static let entries = """
    insert web/git.example.com one 'login: ada' 'url: https://git.example.com/login?next=1'
    insert git.example.com/bob two
    insert work/mail three 'username: carol' 'URL: https://mail.example.com'
    printf four | pass insert --echo docker-credential-helpers/aHR0cHM6Ly9yZWdpc3RyeS5leGFtcGxlLmNvbQ==/dan >/dev/null

    """

  @Test func entriesComeInByTheLayoutsOfOtherProgramsAndASecondImportChangesNothing() throws {
    let run = try run(
      Self.entries + """
        import pass 2>/dev/null; echo $?; import pass 2>/dev/null | tail -1
        tokenvault token --service https://git.example.com --account bob
        printf https://registry.example.com | tokenvault credential docker get
        """)
    #expect(
      run.output == """
        added  dan  https://registry.example.com
        added  bob  https://git.example.com
        added  ada  https://git.example.com/login
        added  carol  https://mail.example.com
        4 secrets stored in dev.tokenvault.shared.
        0
        0 secrets stored in dev.tokenvault.shared.
        two
        {"Secret":"four","ServerURL":"https://registry.example.com","Username":"dan"}

        """, "\(run.errors)")
  }

  @Test func entriesThatCannotComeInAreNamedWithoutTheirContent() throws {
    let run = try run(
      Self.entries + """
        insert wifi secret-of-wifi; insert git.example.com/eve '' 'login: eve'
        insert note.example.com/ada text-of-note 'otpauth://totp/secret-of-totp'
        cp .password-store/wifi.gpg .password-store/broken.gpg; echo damaged >.password-store/broken.gpg
        import pass --json 2>errors | grep -o '"leftOut":"[^"]*"'; import pass 2>>errors >report; echo $?
        import pass wifi 2>&1; import pass note.example.com 2>&1; grep -c 'secret-of\\|text-of' errors report
        """)
    #expect(
      run.output == """
        "leftOut":"pass cannot decrypt it: gpg: decrypt_message failed: Unknown system error"
        "leftOut":"it has no password"
        "leftOut":"it has no address"
        1
        left out  wifi: it has no address
        0 secrets stored in dev.tokenvault.shared.
        unchanged  ada  https://note.example.com
        0 secrets stored in dev.tokenvault.shared.
        note.example.com/ada: not imported: 1 other line.
        pass still has them; --remove takes them out.
        errors:0
        report:0

        """, "\(run.errors)")
  }

  @Test func removedEntriesAreGoneAndOthersStay() throws {
    let run = try run(
      Self.entries + """
        insert git.example.com/fay six 'pin: 1234'; pass git init >/dev/null 2>&1
        import pass git.example.com --remove --yes 2>/dev/null; echo $?
        ls .password-store .password-store/git.example.com; pass show git.example.com/fay | tail -1
        git -C .password-store log -1 --format=%s; tokenvault token --service https://git.example.com --account bob
        """)
    #expect(
      run.output == """
        added  bob  https://git.example.com
        removed  git.example.com/bob
        added  fay  https://git.example.com
        stays  git.example.com/fay: the vault does not have its 1 other line
        2 secrets stored in dev.tokenvault.shared.
        1
        .password-store:
        docker-credential-helpers
        git.example.com
        web
        work

        .password-store/git.example.com:
        fay.gpg
        pin: 1234
        Remove git.example.com/bob from store.
        two

        """, "\(run.errors)")
  }

  @Test func anExportedSecretIsAnEntryThatComesInAgain() throws {
    let run = try run(
      """
      add one https://git.example.com/team ada
      export_to pass 2>errors; echo $?; cat errors
      pass show git.example.com/team/ada; export_to pass
      printf '%s\\n' other 'pin: 1234' 'login: ada' 'url: git.example.com/team' |
        pass insert --multiline --force git.example.com/team/ada >/dev/null
      export_to pass --dry-run 2>/dev/null; export_to pass; echo $?
      export_to pass --force 2>/dev/null; import pass 2>/dev/null; pass show git.example.com/team/ada
      """)
    #expect(
      run.output == """
        written  ada  https://git.example.com/team
        0
        The password store now has 1 copy outside the vault, which a sign-out does not erase.
        one
        login: ada
        url: https://git.example.com/team
        unchanged  ada  https://git.example.com/team
        left out  ada  https://git.example.com/team: the store has another secret there; --force \
        replaces it
        left out  ada  https://git.example.com/team: the store has another secret there; --force \
        replaces it
        1
        written  ada  https://git.example.com/team
        unchanged  ada  https://git.example.com/team
        0 secrets stored in dev.tokenvault.shared.
        one
        pin: 1234
        login: ada
        url: git.example.com/team

        """, "\(run.errors)")
  }

  /// http and https on one host have one name of an entry.
  @Test func anEntryOfAnotherAddressOrUserIsNotReplaced() throws {
    let run = try run(
      """
      insert localhost/ada one 'login: ada' 'url: https://localhost'
      insert git.example.com/ada two 'login: eve'; insert b.example/ada three
      echo damaged >.password-store/b.example/ada.gpg
      add other http://localhost ada; add other https://git.example.com ada; add other https://a.example ada
      add other https://b.example ada; add other https://c.example ada
      export_to pass --force 2>errors; echo $?; tail -1 errors; pass show localhost/ada | head -1
      """)
    #expect(
      run.output == """
        left out  ada  http://localhost: the entry there, localhost/ada, is for another address or \
        user name
        written  ada  https://a.example
        left out  ada  https://b.example: the entry there cannot be read: pass cannot decrypt it: \
        gpg: decrypt_message failed: Unknown system error
        written  ada  https://c.example
        left out  ada  https://git.example.com: the entry there, git.example.com/ada, is for another \
        address or user name
        1
        The password store now has 2 copies outside the vault, which a sign-out does not erase.
        one

        """, "\(run.errors)")
  }

  @Test func anEntryThatIsTooLargeIsNamedAndTheOthersComeIn() throws {
    let run = try run(
      """
      insert a.example/ada one; insert c.example/ada three
      head -c 1100000 /dev/zero | tr '\\0' x | pass insert --multiline b.example/ada >/dev/null
      import pass 2>/dev/null; echo $?
      """)
    #expect(
      run.output == """
        added  ada  https://a.example
        left out  b.example/ada: it is larger than 1 MiB
        added  ada  https://c.example
        2 secrets stored in dev.tokenvault.shared.
        1

        """, "\(run.errors)")
  }

  /// The hook takes a secret out of the vault while the entries are removed.
  @Test func anEntryIsComparedAgainRightBeforeItIsRemoved() throws {
    let run = try run(
      """
      insert a.example/ada one; insert b.example/ada two; pass git init >/dev/null 2>&1
      cat >.password-store/.git/hooks/post-commit <<'END'
      #!/bin/sh
      printf 'protocol=https\\nhost=b.example\\nusername=ada\\npassword=two\\n\\n' | tokenvault credential git erase
      END
      chmod +x .password-store/.git/hooks/post-commit
      import pass --remove --yes 2>/dev/null; echo $?; pass show b.example/ada
      """)
    #expect(
      run.output == """
        added  ada  https://a.example
        removed  a.example/ada
        added  ada  https://b.example
        stays  b.example/ada: it cannot be read back from the group
        2 secrets stored in dev.tokenvault.shared.
        1
        two

        """, "\(run.errors)")
  }

  @Test func aCommitThatFailsIsReported() throws {
    let run = try run(
      """
      insert a.example/ada one; pass git init >/dev/null 2>&1
      printf '#!/bin/sh\\necho no commits today >&2; exit 1\\n' >.password-store/.git/hooks/pre-commit
      chmod +x .password-store/.git/hooks/pre-commit
      import pass --remove --yes 2>/dev/null; echo $?; ls .password-store
      export_to pass; echo $?; pass show a.example/ada | head -1
      """)
    #expect(
      run.output == """
        added  ada  https://a.example
        removed  a.example/ada: git did not commit it: no commits today
        1 secret stored in dev.tokenvault.shared.
        1
        left out  ada  https://a.example: git did not commit it: no commits today
        1
        one

        """, "\(run.errors)")
  }

  /// A signature would ask for the passphrase of its key; this one does not exist.
  @Test func withoutInputNoCommitIsSigned() throws {
    let run = try run(
      """
      insert a.example/ada one; pass git init >/dev/null 2>&1
      git config --global commit.gpgsign true; git config --global user.signingkey nobody
      pass git config pass.signcommits true
      import pass --remove --yes 2>/dev/null; echo $?; git -C .password-store log -1 --format=%s
      """)
    #expect(
      run.output == """
        added  ada  https://a.example
        removed  a.example/ada
        1 secret stored in dev.tokenvault.shared.
        0
        Remove a.example/ada from store.

        """, "\(run.errors)")
  }

  @Test func withoutAStoreTheImportSaysSo() throws {
    let run = try home.run("import pass; echo $?")
    #expect(run.output == "66\n")
    #expect(run.errors.hasSuffix("\nnext: pass init GPG-ID\n"), "\(run.errors)")
  }
}
