import Foundation
import Testing
import TokenVaultTestSupport

/// Rules with conditions other than a directory, and rules that forbid an account.
@Suite(.timeLimit(.minutes(5)))
struct RuleCommandTests {
  private let home: ShellHome

  init() throws { home = try CommandLineFixtures().home(SharedSecretService.get()) }

  /// Runs a script with two secrets of one host in the group of secrets, which `$S` names.
  private func run(_ script: String) throws -> ShellHome.Run {
    try home.run(
      """
      S="-g dev.tokenvault.shared"; mkdir -p work/app home
      for name in ada bob; do
        echo "secret of $name" | tokenvault add -q --service https://git.example.com \
          --username $name >/dev/null
      done
      get() {
        printf 'protocol=https\\nhost=git.example.com\\npath=%s\\n\\n' "$1" |
          tokenvault credential git get 2>>errors | sed -n 's/^password=//p'
      }
      \(script)
      """)
  }

  @Test func aHostARemoteAndADirectoryChooseWithoutASwitch() throws {
    let run = try run(
      """
      tokenvault rule add -q bob --directory work $S >/dev/null
      tokenvault rule add -q ada --host git.example.com/team $S >/dev/null
      tokenvault rule add -q ada --remote git.example.com/ada $S >/dev/null
      cd work; get other/x; get team/x; get ada/x
      cd app; git init -q; get ''; git remote add origin git@git.example.com:ada/app.git; get ''
      cd ../../home; get other/x || echo none
      """)
    #expect(
      run.output == """
        secret of bob
        secret of ada
        secret of ada
        secret of bob
        secret of ada

        """, "\(run.errors)")
  }

  @Test func aForbiddenAccountIsNeverUsedWhateverElseChoosesIt() throws {
    let run = try run(
      """
      tokenvault rule add -q bob --directory work --deny $S >/dev/null
      tokenvault rule add -q bob --host git.example.com $S >/dev/null
      tokenvault switch $S bob >/dev/null
      get x; cd work; get x
      TOKENVAULT_ACCOUNT=bob tokenvault token $S; echo $?
      tokenvault token $S; echo $?
      tokenvault token $S --account bob
      """)
    #expect(
      run.output == "secret of bob\nsecret of ada\n77\n77\nsecret of bob\n", "\(run.errors)")
    #expect(run.errors.contains("/work forbids bob. Nothing was sent."), "\(run.errors)")
  }

  @Test func aForbiddenAccountIsNotUsedByServiceOrRequestEither() throws {
    let run = try run(
      """
      tokenvault rule add -q bob --host git.example.com --deny $S >/dev/null
      tokenvault sign-out ada $S >/dev/null 2>&1
      tokenvault token --service git.example.com; echo $?
      tokenvault request GET https://git.example.com/ --service git.example.com; echo $?
      tokenvault token --service git.example.com --account bob
      """)
    #expect(run.output == "77\n77\nsecret of bob\n", "\(run.errors)")
  }

  @Test func aRuleForALinkIsForTheDirectoryItself() throws {
    let run = try run(
      """
      ln -s work link; tokenvault rule add -q bob --directory link --deny $S >/dev/null
      cd work; TOKENVAULT_ACCOUNT=bob tokenvault token $S; echo $?
      tokenvault rule remove ../link --deny
      """)
    #expect(run.output.hasPrefix("77\nRemoved the rule for "), "\(run.output) \(run.errors)")
  }

  /// The SDKs of Azure start az in /bin, by a shell.
  @Test func theDirectoryOfAnAzureSDKIsThatOfTheSDK() throws {
    let run = try home.run(
      """
      tokenvault import -q cache.json >/dev/null; tokenvault switch ada >/dev/null
      mkdir work; tokenvault rule add ada --directory work --deny >/dev/null; cd work
      sdk='import subprocess, sys
      print(subprocess.run(["/bin/sh", "-c", sys.argv[1] + "; exit $?"], cwd="/bin").returncode)'
      python3 -c "$sdk" "tokenvault credential azure account get-access-token" >/dev/null 2>errors
      grep -c 'forbids ada' errors
      """)
    #expect(run.output == "1\n", "\(run.errors)")
  }

  /// The form that scripts use is served without ArgumentParser.
  @Test func theWarmFormOfTokenHeedsARuleForAnAudience() throws {
    let run = try home.run(
      """
      tokenvault import -q cache.json >/dev/null; tokenvault switch bob >/dev/null
      tokenvault rule add ada --audience https://graph.microsoft.com >/dev/null
      tokenvault token --resource https://graph.microsoft.com >one
      tokenvault token --account ada --resource https://graph.microsoft.com >two
      cmp one two && echo same
      tokenvault rule add ada --audience https://graph.microsoft.com --deny >/dev/null
      tokenvault token --resource https://graph.microsoft.com; echo $?
      """)
    #expect(run.output == "same\n77\n", "\(run.errors)")
  }

  @Test func whichExplainsEachStep() throws {
    let run = try run(
      """
      tokenvault which --for https://git.example.com; echo $?
      tokenvault rule add ada --host git.example.com $S >/dev/null
      tokenvault which --for git.example.com | tr -s ' '
      tokenvault which --for https://elsewhere.example --json; echo $?
      """)
    #expect(run.output.contains("ada at https://git.example.com, bob at https://git.example.com"))
    #expect(
      run.output.contains(
        """
        64
        account ada
         set by the rule for host https://git.example.com
        group dev.tokenvault.shared
        credential stored secret of https://git.example.com

        --account not given
        TOKENVAULT_ACCOUNT not set
        rules the rule for host https://git.example.com counts

        """), "\(run.output)")
    #expect(run.output.contains(#"{"address":"https://elsewhere.example","account":null,"#))
    #expect(run.output.hasSuffix("\n66\n"))
  }

  @Test func rulesAreListedTestedAndRemovedByTheirConditions() throws {
    let run = try run(
      """
      tokenvault rule add ada --host '*.example.com' --directory home $S
      tokenvault rule add bob --tenant contoso.example --deny $S
      tokenvault rule list --no-header | tr -s ' '
      tokenvault rule test https://git.example.com --directory home --no-header | tr -s ' '
      tokenvault rule remove --host '*.example.com' --directory home
      tokenvault rule remove --tenant contoso.example; echo $?
      tokenvault rule remove --tenant contoso.example --deny
      """)
    let place = "host *.example.com and \(home.directory.path)/home"
    #expect(
      run.output == """
        \(place): ada
        tenant contoso.example: never bob
        \(place) ada ok dev.tokenvault.shared
        tenant contoso.example never bob ok dev.tokenvault.shared
        * \(place) ada ok dev.tokenvault.shared
        Removed the rule for \(place).
        66
        Removed the rule for tenant contoso.example.

        """, "\(run.errors)")
  }

  @Test(arguments: [
    "ada", "ada --audience ''", "ada --tenant ''", "ada --remote github.com/.git",
    "ada --host 'a b'", "ada --host '*.com'", "ada --remote github.com",
    "ada --remote git@github.com:x",
  ])
  func aRuleWithoutAUsableConditionIsAUsageError(arguments: String) throws {
    let run = try run("tokenvault rule add \(arguments) $S; echo $?; tokenvault rule list")
    #expect(run.output == "64\n", "\(run.errors)")
    #expect(run.errors.contains("\nnext: "))
  }

  /// The account is sought in the group in force, then in that of secrets.
  @Test func aRuleForASecretNeedsNoGroup() throws {
    let run = try run(
      """
      tokenvault import --quiet one.json >/dev/null
      tokenvault rule add bob --host git.example.com; get x
      tokenvault rule add ada --directory home
      tokenvault rule add carl --directory work; echo $?
      TOKENVAULT_GROUP=com.example.other tokenvault rule add bob --directory work; echo $?
      tokenvault rule list --no-header | sed 's/.* //' | sort
      """)
    #expect(
      run.output.split(separator: "\n").map { $0.split(separator: " ").last ?? "" } == [
        "bob", "bob", "ada@contoso.example", "66", "66",
        "com.microsoft.identity.universalstorage", "dev.tokenvault.shared",
      ], "\(run.output)\(run.errors)")
  }

  /// The user name at a mail server names the account, and overrules nothing.
  @Test func rulesThatForbidAnAccountHoldForMail() throws {
    let run = try run(
      """
      tokenvault import --quiet one.json >/dev/null
      mail() { tokenvault mail-auth --scope User.Read "$@" 2>>errors || echo refused; }
      mail --user ada@contoso.example
      tokenvault rule add -q ada@contoso.example --deny --directory work >/dev/null
      cd work; mail --user ada@contoso.example; mail --account ada@contoso.example; cd ..
      tokenvault rule add -q ada@contoso.example --deny --audience https://outlook.office.com \
        >/dev/null
      mail --user ada@contoso.example --host smtp.office365.com
      mail --user ada@contoso.example --host mail.example.com
      tokenvault rule add -q ada@contoso.example --deny --host mail.example.com >/dev/null
      for host in mail.example.com MAIL.example.com. mail.example.com.. imap.example.com; do
        mail --user ada@contoso.example --host $host; done
      """)
    #expect(
      run.output == """
        at-ada
        refused
        at-ada
        refused
        at-ada
        refused
        refused
        refused
        at-ada

        """, "\(run.errors)")
  }

  @Test func oneSecretServesGitAndDocker() throws {
    let run = try run(
      """
      printf '{"ServerURL": "git.example.com", "Username": "ada", "Secret": "new"}' |
        tokenvault credential docker store
      printf 'protocol=https\\nhost=git.example.com\\nusername=ada\\n\\n' |
        tokenvault credential git get | sed -n 's/^password=//p'
      """)
    #expect(run.output == "new\n", "\(run.errors)")
  }
}
