import Foundation
import Testing
import TokenVaultTestSupport

/// The full screen in a real terminal, against a real provider.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct UITerminalTests {
  private func home() throws -> ShellHome {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    #expect(try home.run("tokenvault import cache.json").status == 0)
    return home
  }

  /// A home without accounts that is configured for the provider.
  private func home(of provider: ProviderProcess) throws -> ShellHome {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    let folder = home.directory.appending(path: ".config/tokenvault")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let configuration = """
      {"signIn": {"clientId": "\(ProviderProcess.client)", "scopes": ["User.Read"],
        "authority": "\(provider.url)/common/v2.0"}}
      """
    try Data(configuration.utf8).write(to: folder.appending(path: "config.json"))
    return home
  }

  @Test func switchesAndChangesByOtherToolsAppear() throws {
    let home = try home()
    let terminal = try TmuxTerminal("tokenvault ui", in: home)
    try terminal.wait(for: ">  ada@contoso.example")
    try terminal.press("j")
    try terminal.wait(for: ">  bob@contoso.example")
    try terminal.press("s")
    try terminal.wait(for: ">* bob@contoso.example")
    #expect(try home.run("tokenvault current").output == "bob@contoso.example\n")
    #expect(try home.run("tokenvault switch ada@contoso.example").status == 0)
    try terminal.wait(for: "elsewhere ada@contoso.example is current")
    try terminal.wait(for: " * ada@contoso.example")
    #expect(try home.run("tokenvault sign-out ada@contoso.example --no-revoke").status == 0)
    try terminal.wait(for: "elsewhere ada@contoso.example was removed from the group")
    try terminal.press("q")
    try terminal.wait(for: "ended with 0")
  }

  @Test func aUserSignsInCallsAnAPIRefreshesAndSignsOut() throws {
    let provider = try ProviderProcess()
    let home = try home(of: provider)
    let terminal = try TmuxTerminal("tokenvault ui", in: home, columns: 90, rows: 30)
    try terminal.wait(for: "n  sign in")
    try terminal.press("n")
    try terminal.wait(for: "(x) code")
    try terminal.press("Enter")
    let waiting = try terminal.wait(for: "Code  ")
    let code = try #require(waiting.firstMatch(of: /Code  (\S+)/)).output.1
    try provider.answerDevice(String(code), as: "ada@contoso.example")
    try terminal.wait(for: ">* ada@contoso.example")
    #expect(try home.run("tokenvault current").output == "ada@contoso.example\n")

    let first = try home.run("tokenvault token --scope User.Read").output
    try terminal.press("f")
    let token = try terminal.wait(for: "new, from the provider")
    #expect(token.contains("Scopes     User.Read"))
    let second = try home.run("tokenvault token --scope User.Read").output
    #expect(first != second)
    try terminal.press("Escape")

    try terminal.wait(for: "LOG")
    try terminal.press("a")
    try terminal.wait(for: "> URL")
    try terminal.press("C-u")
    try terminal.type("\(provider.url)/v1.0/me")
    try terminal.press("Tab")
    try terminal.type("User.Read")
    try terminal.press("Enter")
    let answer = try terminal.wait(for: "\"userPrincipalName\": \"ada@contoso.example\"")
    #expect(answer.contains("Status  200"))
    try terminal.press("Escape")

    try terminal.wait(for: "LOG")
    try terminal.press("o")
    try terminal.wait(for: "for every client in the group")
    try terminal.press("Enter")
    try terminal.wait(for: "Sign out ada@contoso.example, for every client in the group?")
    try terminal.press("y")
    let report = try terminal.wait(for: "Signed out")
    #expect(report.contains("clean  group file"))
    #expect(report.contains("the provider revoked the tokens"))
    try terminal.press("Escape")
    try terminal.wait(for: "No account is signed in")
    let all = try terminal.screen()
    for secret in [first, second] { #expect(!all.contains(secret.prefix(20))) }
    try terminal.press("q")
    try terminal.wait(for: "ended with 0")
    #expect(try home.run("tokenvault list").output.isEmpty)
  }

  @Test func escCancelsAWaitingSignInAndNothingIsStored() throws {
    let provider = try ProviderProcess()
    let home = try home(of: provider)
    let terminal = try TmuxTerminal("tokenvault ui", in: home)
    try terminal.wait(for: "n  sign in")
    try terminal.press("n")
    try terminal.wait(for: "> Client id")
    try terminal.press("Enter")
    try terminal.wait(for: "The code expires in 14:")
    // The list is updated during the wait.
    #expect(try home.run("tokenvault import one.json").status == 0)
    try terminal.press("Escape")
    try terminal.wait(for: "Cancelled; nothing was stored.")
    try terminal.wait(for: "ada@contoso.example")
    try terminal.press("C-c")
    try terminal.wait(for: "ended with 130")
  }

  @Test func theScreenFollowsTheWindowSize() throws {
    let terminal = try TmuxTerminal("tokenvault ui", in: home())
    try terminal.wait(for: "ENVIRONMENT")
    try terminal.resize(columns: 30, rows: 6)
    try terminal.wait(for: "At least 40x10; this is 30x6.")
    try terminal.resize(columns: 40, rows: 10)
    let small = try terminal.wait(for: "ACCOUNT")
    #expect(!small.contains("ENVIRONMENT"))
    try terminal.resize(columns: 120, rows: 40)
    let large = try terminal.wait(for: "ENVIRONMENT")
    #expect(large.contains("login.microsoftonline.com"))
  }

  @Test(arguments: ["q", "C-c", "TERM", "HUP", "QUIT"])
  func everyExitRestoresTheTerminal(way: String) throws {
    let home = try home()
    let terminal = try TmuxTerminal(
      "stty -a >before; echo here before; tokenvault ui; stty -a >after; cmp before after && echo same",
      in: home)
    try terminal.wait(for: "ada@contoso.example")
    if ["q", "C-c"].contains(way) {
      try terminal.press(way)
    } else {
      let process = try #require(try terminal.process(named: "tokenvault"))
      let signals = ["TERM": SIGTERM, "HUP": SIGHUP, "QUIT": SIGQUIT]
      #expect(kill(process, try #require(signals[way])) == 0)
    }
    let screen = try terminal.wait(for: "ended with")
    #expect(screen.contains("same"))
    // The previous screen is back, without any text of the full screen.
    #expect(screen.contains("here before"))
    #expect(!screen.contains("ada@contoso.example"))
    #expect(try terminal.cursorIsShown())
  }

  @Test func aClosedTerminalEndsTheProgram() throws {
    let home = try home()
    let terminal = try TmuxTerminal("trap '' HUP; tokenvault ui; echo $? >status", in: home)
    try terminal.wait(for: "ada@contoso.example")
    try terminal.closeWindow()
    let status = home.directory.appending(path: "status").path
    let end = ContinuousClock.now + .seconds(60)
    while !FileManager.default.fileExists(atPath: status), ContinuousClock.now < end {
      sched_yield()
    }
    #expect(FileManager.default.fileExists(atPath: status))
  }

  @Test func itStopsAndContinuesUnderJobControl() throws {
    let home = try home()
    let terminal = try TmuxTerminal("PS1='prompt> ' bash --norc -i", in: home)
    try terminal.wait(for: "prompt>")
    try terminal.type("tokenvault ui\n")
    try terminal.wait(for: "ada@contoso.example")
    try terminal.press("C-z")
    let stopped = try terminal.wait(for: "Stopped")
    #expect(!stopped.contains("ada@contoso.example"))
    #expect(try terminal.cursorIsShown())
    try terminal.type("stty -a | grep -o ' icanon'; fg\n")
    try terminal.wait(for: "ada@contoso.example")
    try terminal.press("j")
    try terminal.wait(for: ">  bob@contoso.example")
    try terminal.press("q")
    let after = try terminal.wait(for: " icanon")
    #expect(!after.contains(">  bob@contoso.example"))
  }

  @Test func withoutATerminalItIsRefused() throws {
    let home = try home()
    for command in [
      "TERM=dumb tokenvault ui", "TERM= tokenvault ui", "tokenvault ui | cat; exit ${PIPESTATUS}",
      "tokenvault ui --no-input", "tokenvault ui --json", "tokenvault ui </dev/null",
    ] {
      let terminal = try TmuxTerminal("bash -c '\(command)'", in: home)
      try terminal.wait(for: "ended with 64")
    }
    let run = try home.run("tokenvault ui")
    #expect(run.status == 64)
    #expect(run.errors.contains("needs a terminal that can move its cursor"))
  }

  @Test func noColorTurnsColourOff() throws {
    let home = try home()
    let terminal = try TmuxTerminal("NO_COLOR=1 tokenvault ui", in: home)
    try terminal.wait(for: "ada@contoso.example")
    #expect(try !terminal.styledScreen().contains("\u{1b}[7m"))
    let coloured = try TmuxTerminal("tokenvault ui", in: home)
    try coloured.wait(for: "ada@contoso.example")
    #expect(try coloured.styledScreen().contains("\u{1b}[7m"))
  }

  @Test func aPassphraseIsAskedForOnceBeforeTheScreenIsTaken() throws {
    let home = try home()
    #expect(
      try home.run(
        "echo open sesame | tokenvault group create com.example.pass --custody passphrase --passphrase-fd 0"
      ).status == 0)
    #expect(try home.run("tokenvault group lock com.example.pass").status == 0)
    let terminal = try TmuxTerminal("tokenvault ui --group com.example.pass", in: home)
    try terminal.wait(for: "Passphrase for com.example.pass")
    try terminal.type("open sesame")
    try terminal.press("Enter")
    try terminal.wait(for: "The group has no accounts.")
    try terminal.press("d")
    try terminal.wait(for: "Mode    private")
  }
}
