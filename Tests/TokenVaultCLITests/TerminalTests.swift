import Foundation
import Testing
import TokenVaultTestSupport

/// Prompts and the account picker, in a real terminal.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TerminalTests {
  private func home() throws -> ShellHome {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    #expect(try home.run("tokenvault import cache.json").status == 0)
    return home
  }

  @Test func thePickerChoosesWithArrows() throws {
    let home = try home()
    let terminal = try TmuxTerminal("tokenvault switch", in: home)
    try terminal.wait(for: "bob@contoso.example")
    try terminal.press("Down")
    try terminal.press("Up")
    try terminal.press("j")
    try terminal.press("Enter")
    let screen = try terminal.wait(for: "ended with 0")
    #expect(screen.contains("Current account: bob@contoso.example"))
    #expect(try home.run("tokenvault current").output == "bob@contoso.example\n")
  }

  @Test func thePickerFiltersByTypedText() throws {
    let home = try home()
    let terminal = try TmuxTerminal("tokenvault switch", in: home)
    try terminal.wait(for: "Type to filter")
    try terminal.type("ada")
    let filtered = try terminal.wait(for: "Which account? ada_")
    #expect(!filtered.contains("bob@"))
    try terminal.type("xyz")
    try terminal.wait(for: "no account matches")
    try terminal.press("Enter")
    try terminal.press("C-u")
    try terminal.type("bo")
    try terminal.wait(for: "Which account? bo_")
    try terminal.press("Enter")
    try terminal.wait(for: "ended with 0")
    #expect(try home.run("tokenvault current").output == "bob@contoso.example\n")
  }

  @Test(arguments: ["Escape", "C-c", "C-d"])
  func aCancelledPickerChangesNothing(key: String) throws {
    let home = try home()
    let terminal = try TmuxTerminal("tokenvault switch", in: home)
    try terminal.wait(for: "Type to filter")
    try terminal.press(key)
    try terminal.wait(for: "ended with 130")
    #expect(try home.run("tokenvault current").status == 64)
  }

  @Test func thePickerFollowsTheWindowSize() throws {
    let terminal = try TmuxTerminal("tokenvault switch", in: home(), columns: 30, rows: 3)
    let small = try terminal.wait(for: "ada@contoso")
    #expect(small.contains("…"))
    #expect(!small.contains("bob@"))
    try terminal.press("Down")
    try terminal.wait(for: "bob@contoso")
    try terminal.resize(columns: 90, rows: 20)
    let large = try terminal.wait(for: "login.microsoftonline.com")
    #expect(large.contains("ada@contoso.example") && large.contains("bob@contoso.example"))
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
  func aSignalRestoresTheTerminal(signal: Int32) throws {
    let home = try home()
    let terminal = try TmuxTerminal("tokenvault switch; stty -a | tr ';' '\\n'", in: home)
    try terminal.wait(for: "Type to filter")
    let process = try #require(try terminal.process(named: "tokenvault"))
    #expect(kill(process, signal) == 0)
    let screen = try terminal.wait(for: "ended with")
    let settings = screen.split(whereSeparator: \.isWhitespace)
    #expect(Set(["echo", "icanon", "isig"]).isSubset(of: settings), "\(screen)")
    #expect(!screen.contains("Type to filter"))
  }

  @Test func aListOnATerminalEndsWithTheOtherGroups() throws {
    let home = try home()
    let alone = try TmuxTerminal("tokenvault list", in: home)
    #expect(try !alone.wait(for: "ended with 0").contains("also:"))
    #expect(
      try home.run("echo x | tokenvault add --service git.example.com --username eve").status == 0)
    let line = "\nalso: dev.tokenvault.shared; tokenvault list --all-groups\nended with 0"
    let terminal = try TmuxTerminal("tokenvault list", in: home)
    #expect(try terminal.wait(for: "ended with 0").contains(line))
    let everything = try TmuxTerminal("tokenvault list --all-groups", in: home)
    #expect(try !everything.wait(for: "ended with 0").contains("also:"))
    // A script sees the same output as before.
    for command in ["tokenvault list", "tokenvault list --json"] {
      let run = try home.run(command)
      #expect(run.errors.isEmpty && !run.output.contains("shared"))
    }
  }

  @Test func thePickerIsNotShownWithNoInput() throws {
    let terminal = try TmuxTerminal("tokenvault switch --no-input", in: home())
    try terminal.wait(for: "ended with 64")
  }

  @Test func aTypedSecretIsNotShown() throws {
    let home = try home()
    let terminal = try TmuxTerminal(
      "tokenvault add --service git.example.com --username eve", in: home)
    try terminal.wait(for: "Secret for eve at git.example.com:")
    try terminal.type("hunterX")
    try terminal.press("BSpace")
    try terminal.type("2")
    try terminal.press("Enter")
    let screen = try terminal.wait(for: "ended with 0")
    #expect(!screen.contains("hunter"))
    #expect(try home.run("tokenvault token --service git.example.com").output == "hunter2\n")
  }

  @Test func aTypedSecretThatDoesNotFitIsRefusedAndNotCut() throws {
    let home = try home()
    let add = "tokenvault add --service git.example.com --username eve"
    let terminal = try TmuxTerminal(add, in: home)
    try terminal.wait(for: "Secret for eve at git.example.com:")
    for _ in 0..<4 { try terminal.type(String(repeating: "x", count: 1024)) }
    try terminal.type("x")
    try terminal.press("Enter")
    let screen = try terminal.wait(for: "ended with 64")
    #expect(screen.contains("has more than 4 KiB; nothing was stored."))
    #expect(try home.run("tokenvault token --service git.example.com").status == 66)
    let longest = try TmuxTerminal(add, in: home)
    try longest.wait(for: "Secret for eve at git.example.com:")
    for _ in 0..<4 { try longest.type(String(repeating: "x", count: 1024)) }
    try longest.press("Enter")
    try longest.wait(for: "ended with 0")
    let stored = try home.run("tokenvault token --service git.example.com").output
    #expect(stored == String(repeating: "x", count: 4096) + "\n")
  }

  @Test func aNewPassphraseIsPromptedForTwice() throws {
    let home = try home()
    let create = "tokenvault group create com.example.pass --custody passphrase"
    let different = try TmuxTerminal(create, in: home)
    try different.wait(for: "New passphrase")
    try different.type("one passphrase")
    try different.press("Enter")
    try different.wait(for: "Repeat the passphrase")
    try different.type("another passphrase")
    try different.press("Enter")
    try different.wait(for: "ended with 77")
    let same = try TmuxTerminal(create, in: home)
    try same.wait(for: "New passphrase")
    try same.type("hör mal zue")
    try same.press("BSpace")
    try same.press("Enter")
    try same.wait(for: "Repeat the passphrase")
    try same.type("hör mal zu")
    try same.press("Enter")
    try same.wait(for: "ended with 0")
    let run = try home.run(
      "echo hör mal zu | tokenvault group verify com.example.pass --passphrase-fd 0")
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test func aWrongPassphraseCanBeCorrectedTwice() throws {
    let home = try home()
    let create =
      "echo correct horse | tokenvault group create com.example.pass --custody passphrase"
    #expect(try home.run("\(create) --passphrase-fd 0").status == 0)
    for (attempts, status) in [
      (["wrong", "also wrong", "correct horse"], 0), (["wrong", "also wrong", "still wrong"], 77),
    ] {
      let terminal = try TmuxTerminal("tokenvault group verify com.example.pass", in: home)
      let prompts = [
        "Passphrase for com.example.pass:", "Wrong passphrase. Passphrase for com.example.pass:",
        "pass:\nWrong passphrase. Passphrase for com.example.pass:\nWrong passphrase.",
      ]
      for (attempt, prompt) in zip(attempts, prompts) {
        try terminal.wait(for: prompt)
        try terminal.type(attempt)
        try terminal.press("Enter")
      }
      try terminal.wait(for: "ended with \(status)")
    }
  }

  @Test func aShortPassphraseIsRefusedAndTheStrengthIsShown() throws {
    let home = try home()
    let create = "tokenvault group create com.example.pass --custody passphrase"
    let short = try TmuxTerminal(create, in: home)
    try short.wait(for: "New passphrase")
    try short.type("Sevén77")
    try short.press("Enter")
    let refused = try short.wait(for: "ended with 64")
    #expect(refused.contains("fewer than 8 characters") && !refused.contains("Repeat"))
    for (passphrase, strength, options) in [
      ("a", "weak, 4 bits at most", " --weak"), ("abcdefgh", "weak, 4 bits at most", ""),
      ("mdkfpqvx", "weak, 32 bits at most", ""), ("3mdkF-pqvx", "fair, 59", ""),
      ("correct horse battery", "strong, 100", ""),
    ] {
      let terminal = try TmuxTerminal(create + options, in: home)
      try terminal.wait(for: "New passphrase")
      try terminal.type(passphrase)
      try terminal.press("Enter")
      let screen = try terminal.wait(for: "Repeat the passphrase")
      #expect(screen.contains("Strength: \(strength)"), "\(screen)")
      try terminal.press("C-c")
      try terminal.wait(for: "ended with 130")
    }
  }

  @Test func aTypedSecretReplacesAnotherOnlyAfterAQuestion() throws {
    let home = try home()
    #expect(
      try home.run("echo first | tokenvault add --service git.example.com --username eve").status
        == 0)
    for (answer, status) in [("n", 77), ("y", 0)] {
      let terminal = try TmuxTerminal(
        "tokenvault add --service git.example.com --username eve", in: home)
      try terminal.wait(for: "Replace the stored secret for eve at https://git.example.com? [y/N]")
      #expect(try home.run("tokenvault token --service git.example.com").output == "first\n")
      try terminal.type(answer)
      try terminal.press("Enter")
      if status == 0 {
        try terminal.wait(for: "Secret for eve")
        try terminal.type("second")
        try terminal.press("Enter")
        try terminal.wait(for: "Replaced the secret for eve")
      }
      try terminal.wait(for: "ended with \(status)")
    }
    #expect(try home.run("tokenvault token --service git.example.com").output == "second\n")
  }

  @Test(arguments: [
    "add --service git.example.com --username eve",
    "group create com.example.asked --custody passphrase",
  ])
  func ctrlCAtAPromptExitsWith130(command: String) throws {
    let terminal = try TmuxTerminal(
      "tokenvault \(command); echo \"status $?\"; stty -a | grep -c ' echo '", in: home())
    try terminal.wait(for: ":")
    try terminal.press("C-c")
    let screen = try terminal.wait(for: "ended with")
    #expect(screen.contains("Interrupted; nothing was changed."))
    #expect(screen.contains("status 130\n1\n"))
  }

  /// Each form has erased without a question.
  @Test(arguments: [
    "tokenvault sign-out --all 2>/dev/null", "tokenvault sign-out --all-groups >/dev/null",
    "true | tokenvault group delete com.microsoft.identity.universalstorage",
    "yes y | tokenvault group delete com.microsoft.identity.universalstorage",
  ])
  func aDestructiveCommandAsksOnTheTerminalWhereverTheStreamsGo(command: String) throws {
    let home = try home()
    for answer in ["n", "yep", ""] {
      let no = try TmuxTerminal(command, in: home)
      try no.wait(for: "[y/N]")
      if !answer.isEmpty { try no.type(answer) }
      try no.press("Enter")
      try no.wait(for: "ended with 77")
    }
    let escaped = try TmuxTerminal(command, in: home)
    try escaped.wait(for: "[y/N]")
    try escaped.press("Escape")
    try escaped.wait(for: "ended with 77")
    #expect(try home.run("tokenvault list | wc -l").output == "3\n")
  }

  @Test func statusDoesNotAskForAPassphrase() throws {
    let home = try home()
    #expect(
      try home.run(
        "echo the right one | tokenvault group create com.example.pass --custody passphrase "
          + "--passphrase-fd 0"
      ).status == 0)
    for (command, status) in [
      ("status -g com.example.pass", 77), ("group show com.example.pass", 0),
    ] {
      let terminal = try TmuxTerminal("tokenvault \(command)", in: home)
      let screen = try terminal.wait(for: "ended with \(status)")
      #expect(screen.contains("passphrase") && !screen.contains("Passphrase"))
      #expect(screen.contains("locked         yes"), "\(screen)")
    }
  }

  @Test func noInputNeverAsks() throws {
    let home = try home()
    let terminal = try TmuxTerminal("tokenvault sign-out --all --no-input", in: home)
    let screen = try terminal.wait(for: "ended with 77")
    #expect(screen.contains("Nothing was changed") && !screen.contains("[y/N]"))
    #expect(try home.run("tokenvault list | wc -l").output == "3\n")
  }

  @Test(arguments: ["y", "Yes"])
  func yesConfirms(answer: String) throws {
    let home = try home()
    let terminal = try TmuxTerminal("tokenvault sign-out --all </dev/null", in: home)
    try terminal.wait(for: "[y/N]")
    try terminal.type("no")
    try terminal.press("BSpace", "BSpace")
    try terminal.type(answer)
    try terminal.press("Enter")
    let screen = try terminal.wait(for: "ended with 0")
    #expect(screen.contains("[y/N] \(answer)\n"))
    #expect(try home.run("tokenvault list").output.isEmpty)
  }

  @Test(arguments: ["tokenvault export", "tokenvault export -o -"])
  func anExportIsNotWrittenToATerminal(command: String) throws {
    let terminal = try TmuxTerminal(command, in: home())
    let screen = try terminal.wait(for: "ended with 64")
    #expect(!screen.contains("at-ada"))
    #expect(screen.contains("tokenvault export --output FILE"))
  }

  @Test func colourNeedsATerminalWithoutNOCOLOR() throws {
    let home = try home()
    #expect(try home.run("tokenvault switch ada@contoso.example").status == 0)
    #expect(try !home.run("tokenvault list").output.contains("\u{1b}"))
    // `script` runs the program on a terminal and prints its output.
    let coloured = try home.run("script -qec 'tokenvault list' /dev/null")
    #expect(coloured.output.contains("\u{1b}[1m"))
    let plain = try home.run("NO_COLOR=1 script -qec 'tokenvault list' /dev/null")
    #expect(!plain.output.contains("\u{1b}"))
    #expect(plain.output.contains("ada@contoso.example"))
  }
}
