import Foundation
import Testing
import TokenVaultTestSupport

/// The helper with real git and an https server that demands HTTP authentication.
@Suite(.timeLimit(.minutes(10)))
struct GitHelperTests {
  private let git: GitServerHome

  init() throws { git = try GitServerHome() }

  @Test func twoAccountsOfOneHostAreChosenByTheUserNameInTheURL() throws {
    let run = try git.withSecrets(
      """
      git clone -q https://ada@$H/ada/code.git a && git -C a log --format=%s
      git clone -q https://bob@$H/bob/code.git b && git -C b log --format=%s
      cd b && git commit -q --allow-empty -m more && git push -q && cd .. &&
      git -C bob/code.git log --format=%s -1 main; grep 'one\\|two' log | sort -u
      """)
    #expect(
      run.output == """
        code of ada
        code of bob
        more
        ada:one
        bob:two

        """, "\(run.errors)")
  }

  @Test func withoutAChoiceGitGetsNothingAndTheMessageNamesTheAccounts() throws {
    let run = try git.withSecrets("git ls-remote $U/team/code.git; cat log")
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("2 credentials: ada, bob."), "\(run.errors)")
    #expect(run.errors.contains("\nnext: name one in the URL, as in https://NAME@127.0.0.1:"))
  }

  @Test func theGroupsCurrentAccountServesAHostOfSeveral() throws {
    let run = try git.withSecrets(
      """
      tokenvault switch -g dev.tokenvault.shared bob >/dev/null
      git ls-remote $U/team/code.git >/dev/null && sort -u log
      """)
    #expect(run.output == "bob:two\n", "\(run.errors)")
  }

  @Test func theAccountOfTheHelpersOptionIsUsed() throws {
    let run = try git.withSecrets(
      """
      git config --global credential.helper "$HOME/bin/git-credential-tokenvault --account bob"
      git ls-remote $U/team/code.git >/dev/null && sort -u log
      """)
    #expect(run.output == "bob:two\n", "\(run.errors)")
  }

  @Test func aSecretForAPathServesThatPathOnly() throws {
    let run = try git.run(
      """
      git config --global credential.useHttpPath true
      echo one | tokenvault add --quiet --service $U/ada --username ada >/dev/null
      git ls-remote $U/ada/code.git | cut -f2
      git ls-remote $U/team/code.git; sort -u log
      """)
    #expect(run.output == "HEAD\nrefs/heads/main\nada:one\n", "\(run.errors)")
  }

  @Test func aPasswordThatTheServerRefusesIsErasedAndNoOtherOne() throws {
    let run = try git.withSecrets(
      """
      echo wrong | tokenvault add --quiet --service $U --username ada >/dev/null
      git ls-remote https://ada@$H/ada/code.git
      tokenvault token --service $U --account bob
      tokenvault token --service $U --account ada || echo gone
      """)
    #expect(run.output == "two\ngone\n", "\(run.errors)")
  }

  /// A server's refusal must not end backups, nor what the user has forbidden.
  @Test func anErasedPasswordLeavesBackupsAndRules() throws {
    let run = try git.withSecrets(
      """
      tokenvault rule add -q ada --host $H --deny -g dev.tokenvault.shared >/dev/null
      tokenvault group backup dev.tokenvault.shared copy >/dev/null 2>&1
      for verb in reject approve; do
        printf 'protocol=https\\nhost=%s\\nusername=ada\\npassword=one\\n\\n' $H | git credential $verb
      done
      tokenvault token --service $U --account ada
      printf 'protocol=https\\nhost=%s\\nusername=ada\\n\\n' $H | git credential fill
      tokenvault group restore dev.tokenvault.shared copy --yes >/dev/null; echo $?
      """)
    #expect(run.output == "one\n0\n", "\(run.output) \(run.errors)")
  }

  @Test func aFetchWithAPathStoresNoCopyOfTheSecret() throws {
    let run = try git.run(
      """
      git config --global credential.useHttpPath true
      echo one | tokenvault add --quiet --service $U/ada --username ada >/dev/null
      git clone -q $U/ada/code.git a && git -C a fetch -q
      tokenvault list -g dev.tokenvault.shared --no-header | wc -l
      """)
    #expect(run.output == "1\n", "\(run.errors)")
  }

  @Test func anOptionThatTheHelperDoesNotHaveIsAnError() throws {
    let run = try git.withSecrets(
      """
      printf 'protocol=https\\nhost=%s\\n\\n' $H >request
      bin/git-credential-tokenvault --account=ada get <request | tail -1
      bin/git-credential-tokenvault --acount ada get <request; echo $?
      """)
    #expect(run.output == "password=one\n64\n", "\(run.errors)")
  }

  @Test func aPasswordThatGitRefusesIsNotErasedIfTheVaultHasAnotherOneMeanwhile() throws {
    let run = try git.withSecrets(
      """
      printf 'protocol=https\\nhost=%s\\nusername=ada\\npassword=old\\n\\n' $H | git credential reject
      tokenvault token --service $U --account ada
      """)
    #expect(run.output == "one\n", "\(run.errors)")
  }

  @Test func gitStoresAPasswordThatWorkedAndItIsFoundByService() throws {
    let run = try git.run(
      """
      printf 'protocol=https\\nhost=%s\\nusername=ada\\npassword=one\\n\\n' $H | git credential approve
      git ls-remote $U/ada/code.git >/dev/null && tokenvault token --service $U
      tokenvault list -g dev.tokenvault.shared --no-header | wc -l
      """)
    #expect(run.output == "one\n1\n", "\(run.errors)")
  }

  @Test func aFetchWritesNothing() throws {
    let run = try git.withSecrets(
      """
      git clone -q https://ada@$H/ada/code.git a
      file=.local/share/tokenvault/groups/dev.tokenvault.shared.vault
      before=$(cat $file* | sha256sum); git -C a fetch -q
      test "$before" = "$(cat $file* | sha256sum)" && echo unchanged
      """)
    #expect(run.output == "unchanged\n", "\(run.errors)")
  }

  @Test func anotherSchemePortOrHostGetsNothing() throws {
    let run = try git.withSecrets(
      """
      fill() { printf 'protocol=%s\\nhost=%s\\n\\n' "$1" "$2" | git credential fill; }
      for host in 127.0.0.1 127.0.0.1:1 localhost:$N 127.0.0.1.:$N 127.0.0.1@evil.example:$N \
        evil.example:$N@127.0.0.1; do fill https $host; done
      fill http $H; fill ftp $H
      """)
    #expect(run.output.isEmpty, "\(run.output)")
    #expect(!run.errors.contains("one") && !run.errors.contains("two"))
  }

  @Test func withVerboseTheHelperNamesTheAccountAndWhy() throws {
    let run = try git.withSecrets(
      """
      printf 'protocol=https\\nhost=%s\\nusername=ada\\n\\n' $H >request
      bin/git-credential-tokenvault -v get <request
      tokenvault credential git get <request 2>&1
      """)
    #expect(run.output == "username=ada\npassword=one\nusername=ada\npassword=one\n")
    #expect(
      run.errors.contains(
        ", from the group dev.tokenvault.shared: the account of that user name\n"),
      "\(run.errors)")
  }
}
