import Foundation
import Testing
import TokenVaultTestSupport

@testable import TokenVaultCLI

/// `prompt` in the prompts of real shells.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PromptTests {
  /// A user name that each of the shells could take for a command, an expansion or an escape sequence.
  private static let hostile =
    #"$(touch a)`touch b`\$(touch c);touch d%F{1}%(!.x.y)!!\\u{1b}[31m"x'<y>é|&\\e[0m"#

  private func home(_ username: String) throws -> ShellHome {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    let cache = CommandLineFixtures().cache(["ada": 3600])
    let name = String(decoding: try JSONEncoder().encode(username), as: UTF8.self)
    try Data(cache.replacing("\"ada@contoso.example\"", with: name).utf8)
      .write(to: home.directory.appending(path: "hostile.json"))
    #expect(try home.run("tokenvault import hostile.json").status == 0)
    return home
  }

  /// Types `exit` at the prompt of a shell on a pseudoterminal, and returns what it showed.
  private func session(_ shell: String, _ home: ShellHome) throws -> String {
    let run = try home.run(
      """
      printf 'exit\\nexit\\n' | TERM=xterm timeout 20 script -qec "\(shell)" /dev/null
      ls a b c d 2>/dev/null
      """)
    return run.output
  }

  private static let files: [(name: String, shell: String, text: String)] = [
    ("rc", "bash --rcfile rc -i", #"PS1='<$(tokenvault prompt)> '"#),
    ("rc", "bash --rcfile rc -i", #"PROMPT_COMMAND='PS1="<$(tokenvault prompt)> "'"#),
    (".zshrc", "zsh -d -i", "setopt prompt_subst prompt_bang; PROMPT='<$(tokenvault prompt)> '"),
    (".zshrc", "zsh -d -i", #"setopt prompt_subst; precmd() { PROMPT="<$(tokenvault prompt)> " }"#),
    (
      "config.fish", "fish --no-config -C 'source config.fish' -i",
      "function fish_prompt; echo -n '<'(tokenvault prompt)'> '; end"
    ),
  ]

  @Test(arguments: 0..<5) func aHostileNameRunsNothingInAPrompt(number: Int) throws {
    let home = try home(Self.hostile)
    let (name, shell, text) = Self.files[number]
    try Data((text + "\n").utf8).write(to: home.directory.appending(path: name))
    let shown = try session(shell, home)
    let expected = PromptText.text([Self.hostile])
    #expect(shown.contains("<\(expected)>"), "\(shown)")
    #expect(!shown.split(separator: "\r\n").contains { ["a", "b", "c", "d"].contains($0) })
    for file in ["a", "b", "c", "d"] {
      #expect(!FileManager.default.fileExists(atPath: home.directory.appending(path: file).path))
    }
  }

  @Test func everyCharacterThatAShellInterpretsIsReplaced() {
    let ascii = String(String.UnicodeScalarView((0..<128).compactMap(Unicode.Scalar.init)))
    let kept = Set(ascii.unicodeScalars.flatMap { PromptText.text([String($0)]).unicodeScalars })
    let safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@.+-_"
    #expect(kept == Set(safe.unicodeScalars))
    #expect(PromptText.text(["é\u{202e}\u{9b}日"]) == "é__日")
    #expect(PromptText.text([String(repeating: "x", count: 99), "g"]).count == 50)
  }

  @Test func aPromptNamesTheAccountAndNeverAnError() throws {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    func prompt(_ command: String) throws -> String {
      let run = try home.run(command)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
      return run.output
    }
    #expect(try prompt("tokenvault prompt").isEmpty)
    #expect(try home.run("tokenvault import cache.json && tokenvault switch ada").status == 0)
    #expect(try prompt("tokenvault prompt") == "ada@contoso.example\n")
    #expect(try home.run("tokenvault alias ada work").status == 0)
    #expect(try prompt("tokenvault prompt") == "work\n")
    #expect(try prompt("tokenvault prompt --no-input") == "work\n")
    #expect(try prompt("TOKENVAULT_ACCOUNT=bob tokenvault prompt") == "bob@contoso.example\n")
    #expect(try prompt("TOKENVAULT_ACCOUNT=nobody tokenvault prompt").isEmpty)
    #expect(try prompt("TOKENVAULT_GROUP=com.example.x tokenvault prompt") == "com.example.x\n")
    #expect(try prompt("TOKENVAULT_GROUP=: tokenvault prompt").isEmpty)
    #expect(try prompt("tokenvault prompt -g com.example.x") == "com.example.x\n")
    // Nothing is asked for or unlocked.
    let create = "echo open sesame | tokenvault group create com.example.pass --custody passphrase"
    #expect(try home.run("\(create) --passphrase-fd 0").status == 0)
    #expect(try home.run("tokenvault group lock com.example.pass").status == 0)
    #expect(
      try prompt("TOKENVAULT_GROUP=com.example.pass tokenvault prompt") == "com.example.pass\n")
    #expect(try prompt("DBUS_SESSION_BUS_ADDRESS=unix:path=/none tokenvault prompt").isEmpty)
    try Data("{".utf8).write(
      to: home.directory.appending(path: ".local/share/tokenvault/directories"))
    #expect(try prompt("tokenvault prompt").isEmpty)
  }
}
