import Foundation
import Testing
import TokenVaultTestSupport

/// The parts of the command line that scripts and other programs rely on.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ContractTests {
  private func home() throws -> ShellHome {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    #expect(try home.run("tokenvault import cache.json").status == 0)
    #expect(try home.run("tokenvault switch ada@contoso.example").status == 0)
    return home
  }

  private func json(_ command: String, _ home: ShellHome) throws -> Any {
    let run = try home.run(command)
    try #require(run.status == 0, "\(command): \(run.errors)")
    #expect(run.output.hasSuffix("\n"))
    return try JSONSerialization.jsonObject(with: Data(run.output.utf8))
  }

  private func keys(_ value: Any) -> [String] {
    (value as? [String: Any]).map { $0.keys.sorted() } ?? []
  }

  private let accountKeys = [
    "accessTokenExpiresOn", "authorityType", "clientIds", "current", "environment", "group",
    "homeAccountId", "identifier", "refreshTokenStored", "signedIn", "tenantProfiles", "username",
  ]

  @Test func theKeysOfAnAccountAreStable() throws {
    let home = try home()
    let list = try #require(try json("tokenvault list --json", home) as? [[String: Any]])
    try #require(list.count == 2)
    #expect(keys(list[0]) == accountKeys)
    #expect(keys(list[0]["homeAccountId"] ?? 0) == ["objectId", "tenantId"])
    let profiles = try #require(list[0]["tenantProfiles"] as? [[String: Any]])
    #expect(keys(profiles[0]) == ["claims", "identifier", "isHomeTenantProfile", "tenantId"])
    #expect(list[0]["current"] as? Bool == true)
    #expect(list[1]["current"] as? Bool == false)
    #expect(list[0]["clientIds"] as? [String] == [CommandLineFixtures.client])
    #expect(list[0]["authorityType"] as? String == "MSSTS")
    let ends = try #require(list[0]["accessTokenExpiresOn"] as? String)
    #expect(ends.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
    #expect(try home.run("tokenvault alias ada@contoso.example a").status == 0)
    #expect(keys(try json("tokenvault current --json", home)) == (accountKeys + ["alias"]).sorted())
  }

  @Test func theKeysOfATokenAreStable() throws {
    let token = try json("tokenvault token --json", try home())
    #expect(
      keys(token) == [
        "accessToken", "account", "authority", "expiresOn", "fromCache", "scopes", "tokenType",
      ])
    let fields = try #require(token as? [String: Any])
    #expect(fields["accessToken"] as? String == "at-ada")
    #expect(fields["tokenType"] as? String == "Bearer")
    #expect(fields["scopes"] as? [String] == ["User.Read", "openid"])
    #expect(fields["fromCache"] as? Bool == true)
    #expect(keys(fields["account"] ?? 0) == accountKeys)
  }

  @Test(arguments: [
    ("which", ["account", "accountRule", "group", "groupFile", "groupRule"]),
    (
      "import one.json",
      [
        "added", "credentialsKept", "credentialsStored", "group", "groupMade", "unchanged",
        "updated",
      ]
    ),
    ("current --client-id x", ["account", "previous"]),
    ("device", ["group", "mode", "source"]),
    ("doctor", ["checks", "ok"]),
    (
      "group show",
      [
        "accounts", "custody", "deviceMode", "devicePart", "exists", "generation", "keyFile",
        "lastBackup", "locked", "manifest", "members", "name", "recoveryCode",
        "recoveryCodeMadeOn", "title", "unlockedUntil",
      ]
    ),
    (
      "status",
      [
        "account", "accountRule", "accounts", "attention", "custody", "exists", "group",
        "groupRule", "lastBackup", "locked", "recoveryCode", "recoveryCodeMadeOn", "unlockedUntil",
      ]
    ),
    ("group members", ["group", "members"]),
    (
      "group verify",
      [
        "accounts", "credentials", "damagedAccounts", "group", "historyDamaged", "sound",
        "strayRows", "structure",
      ]
    ),
    ("group recovery-code", ["group", "recoveryCode"]),
    ("group unlock --for 1m", ["group", "unlockedUntil"]),
    ("group lock", ["group", "wasUnlocked"]),
    ("group backup com.microsoft.identity.universalstorage copy", ["backup", "group"]),
    (
      "group rekey",
      [
        "custody", "deviceMode", "devicePart", "exists", "generation", "manifest", "members",
        "name", "title",
      ]
    ),
    ("import --remove one.json ada@contoso.example", ["account", "entriesRemoved", "file"]),
    (
      "sign-out bob@contoso.example",
      ["accounts", "browserSessions", "clean", "group", "keptAccounts", "places", "revocations"]
    ),
    ("group delete com.microsoft.identity.universalstorage --yes", ["deleted"]),
  ])
  func theKeysOfResultsAreStable(command: String, expected: [String]) throws {
    #expect(keys(try json("tokenvault \(command) --json", try home())) == expected)
  }

  @Test func everyCommandHasHelpWithExamples() throws {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    var commands = try subcommands("", home)
    #expect(commands.count >= 14)
    for group in try subcommands("group", home) { commands.append("group \(group)") }
    #expect(commands.count >= 26)
    for command in commands {
      let help = try home.run("tokenvault \(command) --help")
      #expect(help.status == 0, "\(command)")
      #expect(help.errors.isEmpty, "\(command)")
      #expect(help.output.contains("EXAMPLES\n  "), "\(command) shows no example")
    }
  }

  private func subcommands(_ command: String, _ home: ShellHome) throws -> [String] {
    let help = try home.run("tokenvault \(command) --help").output
    let section = try #require(help.components(separatedBy: "SUBCOMMANDS:\n").last)
    return section.split(separator: "\n").prefix { $0.hasPrefix("  ") }
      .filter { !$0.hasPrefix("   ") && !$0.hasPrefix("  See ") }
      .compactMap { $0.split(whereSeparator: { " ,".contains($0) }).first.map(String.init) }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionsAreGeneratedForAShell(shell: String) throws {
    let script = try home().run("tokenvault --generate-completion-script \(shell)")
    #expect(script.status == 0)
    #expect(script.output.contains("recovery-code"))
  }

  @Test func theAliasesOfCommandsAreCompletedToo() throws {
    let home = try home()
    let offered = try home.run(
      """
      bash <<'LINES'
      . <(tokenvault --generate-completion-script bash)
      complete_line() {
        COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=($1 '') COMP_CWORD=$(set -- $1; echo $#) COMPREPLY=()
        _tokenvault tokenvault '' "${COMP_WORDS[COMP_CWORD - 1]}"
        echo "${COMPREPLY[@]}"
      }
      complete_line 'tokenvault logout '; complete_line 'tokenvault sign-out '
      complete_line 'tokenvault login --prompt '; complete_line 'tokenvault ls --policy '
      LINES
      """)
    let names = "ada@contoso.example bob@contoso.example"
    let lines = offered.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.prefix(2) == [names[...], names[...]], "\(offered.errors)")
    #expect(lines.dropFirst(2).first == "select_account login consent create if_necessary")
    for shell in ["zsh", "fish"] {
      let script = try home.run("tokenvault --generate-completion-script \(shell)").output
      #expect(script.contains("logout"), "\(shell)")
    }
  }

  @Test func completionsOfferNamesAndNoSecrets() throws {
    let home = try home()
    let offered = try home.run("tokenvault ---completion switch -- positional@0 0 0 ''")
    #expect(offered.status == 0)
    #expect(
      offered.output.split(separator: "\n") == ["ada@contoso.example", "bob@contoso.example"])
    #expect(offered.errors.isEmpty)
    // A vault that cannot be opened offers nothing and prints no error.
    let without = try home.run(
      "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent "
        + "tokenvault ---completion switch -- positional@0 0 0 ''")
    #expect(without.output.filter { !$0.isWhitespace }.isEmpty)
    #expect(without.errors.isEmpty)
  }

  @Test func aBusyGroupExitsWith75() throws {
    let home = try home()
    // Another program holds the file's write lock longer than tokenvault waits.
    let run = try home.run(
      """
      python3 -c '
      import sqlite3, subprocess, sys, glob
      path = glob.glob(".local/share/tokenvault/groups/*.vault")[0]
      held = sqlite3.connect(path, isolation_level=None)
      held.execute("BEGIN IMMEDIATE")
      sys.exit(subprocess.run(["tokenvault", "alias", "ada@contoso.example", "a"]).returncode)
      '
      """)
    #expect(run.status == 75)
    #expect(run.errors.contains("is in use by other processes"))
    #expect(run.errors.contains("Waiting for another process that uses the same files."))
    #expect(run.changes.filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") }.isEmpty)
  }

  @Test func aClosedPipeEndsTheProgramQuietly() throws {
    let home = try home()
    let run = try home.run(
      "(tokenvault list; echo $? >status) 2>errors | true; cat status errors")
    #expect(["0\n", "141\n", "74\n"].contains { run.output.hasPrefix($0) })
  }
}
