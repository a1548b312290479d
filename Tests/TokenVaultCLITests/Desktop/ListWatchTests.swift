import Foundation
import Testing
import TokenVaultTestSupport

@testable import TokenVaultCLI
import TokenVaultModel

/// `list --watch` in a terminal and for programs, while other processes change the group.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct ListWatchTests {
  private func home() throws -> ShellHome {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    #expect(try home.run("tokenvault import cache.json").status == 0)
    return home
  }

  @Test func theListFollowsOtherToolsUntilQ() throws {
    let home = try home()
    let terminal = try TmuxTerminal("tokenvault list --watch", in: home)
    try terminal.wait(for: "com.microsoft.identity.universalstorage; q quits")
    #expect(try home.run("tokenvault switch bob").status == 0)
    try terminal.wait(for: "*  bob@contoso.example")
    #expect(try home.run("tokenvault sign-out ada --no-revoke").status == 0)
    while try terminal.screen().contains("ada@") {}
    try terminal.resize(columns: 50, rows: 4)
    try terminal.wait(for: "bob@contoso.example")
    try terminal.press("q")
    try terminal.wait(for: "ended with 0")
  }

  @Test func ctrlCEndsItWith130AndTheTerminalIsRestored() throws {
    let home = try home()
    let terminal = try TmuxTerminal(
      "stty -g >before; tokenvault list --watch; echo \"status $?\"; stty -g >after", in: home)
    try terminal.wait(for: "q quits")
    try terminal.press("C-c")
    try terminal.wait(for: "status 130")
    #expect(try home.run("cmp before after").status == 0)
    #expect(try terminal.cursorIsShown())
  }

  @Test func aSignalEndsItAndTheTerminalIsRestored() throws {
    let home = try home()
    let terminal = try TmuxTerminal(
      "sh -c 'echo $$ >pid; exec tokenvault list --watch'; echo \"status $?\"", in: home)
    try terminal.wait(for: "q quits")
    #expect(try home.run("kill -TERM $(cat pid)").status == 0)
    try terminal.wait(for: "status 143")
    #expect(try terminal.cursorIsShown())
  }

  @Test func aProgramGetsOneLineForEachChange() throws {
    let run = try home().run(
      """
      mkfifo lines; tokenvault list --watch --json >lines & W=$!
      { read a; echo "$a" | jq -c 'map(.username)'
        tokenvault switch bob >/dev/null
        read b; echo "$b" | jq -c 'map(.current)'
        tokenvault alias bob work >/dev/null
        read c; echo "$c" | jq -c 'map(.alias)'; } <lines
      # Without a reader it ends, also if nothing changes.
      wait $W; echo $?
      """.replacing("jq -c", with: "python3 -c \"$PICK\"").replacing(
        "mkfifo", with: Self.pick + "\nmkfifo"))
    #expect(
      run.output == """
        ["ada@contoso.example", "bob@contoso.example"]
        [false, true]
        [null, "work"]
        0

        """, "\(run.errors)")
  }

  /// As jq does: the values of a key.
  private static let pick = """
    PICK='import json, sys
    key = sys.argv[1].split(".")[1].rstrip(")")
    print(json.dumps([entry.get(key) for entry in json.load(sys.stdin)]))'
    """

  @Test func onAPipeEachVersionIsATableOfItsOwn() throws {
    let run = try home().run(
      """
      mkfifo lines; tokenvault list --watch --no-header >lines & W=$!
      { read a; read b; echo "$b" | cut -c 1-30
        tokenvault alias bob work >/dev/null
        read c; echo "[$c]"; read d; read e; echo "$e" | cut -c 1-30; } <lines
      wait $W
      """)
    #expect(run.output == "bob@contoso.example  login.mic\n[]\nbob@contoso.example  work   lo\n")
  }

  @Test func ofEveryGroupIsWatchedAndAnUnknownOneIsRefused() throws {
    let home = try home()
    let run = try home.run(
      """
      mkfifo lines; tokenvault list --watch --all-groups --json >lines & W=$!
      { read a; echo pw | tokenvault add --service git.example --username eve -q >/dev/null
        read b; echo "$b" | grep -c eve; } <lines
      wait $W
      tokenvault list --watch --group com.example.none; echo $?
      """)
    #expect(run.output == "1\n66\n")
  }

  @Test func aGroupThatCannotBeReadHidesNoOtherAndAsksForNothing() throws {
    let home = try home()
    let terminal = try TmuxTerminal("tokenvault list --watch --all-groups", in: home)
    try terminal.wait(for: "all groups; q quits")
    let create = "echo open sesame | tokenvault group create com.example.pass --custody passphrase"
    #expect(try home.run("\(create) --passphrase-fd 0").status == 0)
    try terminal.wait(for: "1 group cannot be read; all groups; q quits")
    #expect(try home.run("tokenvault alias bob work").status == 0)
    try terminal.wait(for: "work")
    #expect(try !terminal.screen().contains("Passphrase"))
    try terminal.press("q")
    try terminal.wait(for: "ended with 0")
    let run = try home.run(
      """
      tokenvault list --watch --all-groups --no-header 2>errors | head -2 | cut -c 3-22; cat errors
      """)
    #expect(
      run.output.hasPrefix("ada@contoso.example \nbob@contoso.example \ntokenvault: The group "),
      "\(run)")
  }

  @Test func theTextOfATimeChangesWhenItIsSaid() {
    let now = Timestamp(epochSeconds: 1_000_000)
    for distance: Int64 in [
      -172_801, -172_799, -3601, -3599, -60, -59, 0, 1, 59, 60, 61, 3599, 3600, 7199, 172_800,
      260_000,
    ] {
      let time = now.advanced(by: distance)
      let seconds = time.secondsOfText(at: now)
      #expect(time.relative(to: now.advanced(by: seconds - 1)) == time.relative(to: now))
      #expect(
        time.relative(to: now.advanced(by: seconds)) != time.relative(to: now), "\(distance)")
    }
  }
}
