import Foundation
import Testing
import TokenVaultTestSupport

/// Search, forms, secrets and groups of the full screen in a real terminal.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct UIEditingTerminalTests {
  private func home() throws -> ShellHome {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    #expect(try home.run("tokenvault import cache.json").status == 0)
    return home
  }

  @Test func aSearchNarrowsTheListInATerminal() throws {
    let terminal = try TmuxTerminal("tokenvault ui", in: home())
    try terminal.wait(for: "bob@contoso.example")
    try terminal.type("/bo")
    let screen = try terminal.wait(for: "/bo   1 of 1")
    #expect(!screen.contains("ada@contoso.example"))
    #expect(try terminal.cursorIsShown())
    try terminal.press("Escape")
    let all = try terminal.wait(for: "ada@contoso.example")
    #expect(all.contains(">  bob@contoso.example"))
    try terminal.press("Home")
    try terminal.wait(for: ">  ada@contoso.example")
    try terminal.press("NPage")
    try terminal.wait(for: ">  bob@contoso.example")
    try terminal.press("q")
    try terminal.wait(for: "ended with 0")
  }

  @Test func aSecretIsAddedReplacedAndRemoved() throws {
    let home = try home()
    let terminal = try TmuxTerminal("tokenvault ui", in: home)
    try terminal.wait(for: "bob@contoso.example")
    // As with `add`, a secret does not go to Microsoft's group unless that is named.
    try terminal.type("+")
    try terminal.wait(for: "Add a secret to dev.tokenvault.shared")
    try terminal.type("ftp://x")
    try terminal.press("Tab")
    try terminal.type("eve")
    try terminal.press("Tab")
    try terminal.type("hunterX")
    try terminal.press("BSpace")
    try terminal.type("2")
    try terminal.wait(for: "> Secret     *******")
    try terminal.press("Enter")
    // The same rules as those of `add`.
    try terminal.wait(for: "\"ftp://x\" is not a service")
    try terminal.press("Tab")
    try terminal.type("90d")
    try terminal.press("Tab", "C-u")
    try terminal.type("https://git.example.com")
    try terminal.press("Enter")
    try terminal.wait(for: "stored the secret for eve at https://git.example.com")
    #expect(try home.run("tokenvault token --service git.example.com").output == "hunter2\n")
    try terminal.wait(for: " days\n")

    try terminal.press("End")
    try terminal.wait(for: ">  eve ")
    try terminal.type("r")
    try terminal.wait(for: "Replace a secret")
    try terminal.type("other")
    try terminal.press("Enter")
    try terminal.wait(for: "Replace the stored secret for eve at https://git.example.com?")
    try terminal.type("y")
    try terminal.wait(for: "replaced the secret for eve")
    #expect(try home.run("tokenvault token --service git.example.com").output == "other\n")

    try terminal.type("o")
    try terminal.wait(for: "Remove the secret for eve")
    try terminal.type("y")
    let report = try terminal.wait(for: "Removed")
    #expect(report.contains("clean  group file"))
    #expect(!report.contains("At the provider"))
    try terminal.press("Escape")
    let end = try terminal.wait(for: "nothing is left on this machine")
    for secret in ["hunter", "other\n"] { #expect(!end.contains(secret)) }
    #expect(try home.run("tokenvault token --service git.example.com").status == 66)
    try terminal.press("q")
    try terminal.wait(for: "ended with 0")
  }

  @Test func aSignInThatFailsReturnsToTheForm() throws {
    let home = try home()
    let terminal = try TmuxTerminal("tokenvault ui", in: home)
    try terminal.wait(for: "bob@contoso.example")
    try terminal.type("n")
    try terminal.wait(for: "> Client id")
    try terminal.press("C-u")
    try terminal.type("my-client")
    try terminal.press("Tab", "C-u")
    // Nothing listens there.
    try terminal.type("https://127.0.0.1:1/tenant")
    try terminal.press("Enter")
    let screen = try terminal.wait(for: "Cannot connect to")
    #expect(screen.contains("  Client id  my-client"))
    #expect(screen.contains("> Authority  https://127.0.0.1:1/tenant"))
    try terminal.press("Escape")
    try terminal.wait(for: "bob@contoso.example")
    try terminal.press("q")
    try terminal.wait(for: "ended with 0")
  }

  @Test func anotherGroupIsShownAfterItsPassphrase() throws {
    let home = try home()
    let group = "com.example.pass"
    #expect(
      try home.run(
        "echo open sesame | tokenvault group create \(group) --custody passphrase --passphrase-fd 0"
      ).status == 0)
    #expect(try home.run("tokenvault group lock \(group)").status == 0)
    let terminal = try TmuxTerminal("tokenvault ui", in: home)
    try terminal.wait(for: "bob@contoso.example")
    func choose() throws {
      try terminal.type("g")
      let menu = try terminal.wait(for: "Show another group")
      let line = menu.split(separator: "\n").first { $0.contains(group) } ?? ""
      let digit = line.first { $0.isNumber }
      try terminal.type(String(try #require(digit)))
      try terminal.wait(for: "Passphrase for \(group)")
    }
    try choose()
    try terminal.type("wrong one")
    try terminal.press("Enter")
    try terminal.wait(for: "Wrong passphrase")
    try terminal.press("C-c")
    try terminal.wait(for: "TokenVault  com.microsoft.identity.universalstorage")
    try terminal.press("Escape")
    // The group that was in view still is.
    try terminal.wait(for: "bob@contoso.example")
    try choose()
    try terminal.type("open sesame")
    try terminal.press("Enter")
    let screen = try terminal.wait(for: "The group has no accounts.")
    #expect(screen.contains("TokenVault  \(group)"))
    // Changes by other tools appear there, too.
    try terminal.type("+git.example.com")
    try terminal.press("Tab")
    try terminal.type("eve")
    try terminal.press("Tab")
    try terminal.type("x")
    try terminal.press("Enter")
    try terminal.wait(for: ">  eve ")
    try terminal.press("q")
    try terminal.wait(for: "ended with 0")
  }
}
