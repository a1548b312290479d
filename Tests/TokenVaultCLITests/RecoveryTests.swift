import Foundation
import Testing
import TokenVaultTestSupport

/// The way from a recovery code on paper to a token on a new machine.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RecoveryTests {
  private static let group = "com.example.team"
  /// The keyrings of two machines.
  private let (oldKeyring, newKeyring): (PrivateSecretService, PrivateSecretService)

  init() throws {
    oldKeyring = try PrivateSecretService()
    newKeyring = try PrivateSecretService()
  }

  private func nextCommand(_ run: ShellHome.Run) throws -> String {
    let line = try #require(run.errors.split(separator: "\n").last { $0.hasPrefix("next: ") })
    return String(line.dropFirst("next: ".count))
  }

  /// Each machine has a keyring and a home of its own. The backup and the code are all that gets from
  /// one to the other.
  @Test func aCodeOnPaperAndABackupServeATokenOnANewMachine() throws {
    let old = try CommandLineFixtures().home(oldKeyring)
    #expect(try old.run("tokenvault group create \(Self.group)").status == 0)
    #expect(try old.run("tokenvault import one.json --group \(Self.group)").status == 0)
    let paper = try old.run("tokenvault group recovery-code \(Self.group)")
    let advice = try #require(
      paper.errors.split(separator: "\n").last { $0.contains("tokenvault group backup") })
    let command = try #require(advice.components(separatedBy: ": ").last)
    let backup = try old.run(command.replacing("FILE", with: "team.backup"))
    #expect(backup.status == 0 && backup.errors.contains("--recovery-code"), "\(backup.errors)")

    let new = try CommandLineFixtures().home(newKeyring)
    try FileManager.default.copyItem(
      at: old.directory.appending(path: "team.backup"),
      to: new.directory.appending(path: "team.backup"))
    let refused = try new.run("tokenvault group restore \(Self.group) team.backup")
    #expect(refused.status == 77 && refused.output.isEmpty)
    let terminal = try TmuxTerminal(try nextCommand(refused), in: new, columns: 200)
    try terminal.wait(for: "Recovery code for \(Self.group):")
    let code = paper.output.trimmingCharacters(in: .whitespacesAndNewlines)
    try terminal.type(code)
    try terminal.press("Enter")
    let screen = try terminal.wait(for: "ended with 0")
    #expect(screen.contains("Restored the group \(Self.group): 1 account."))
    #expect(!screen.contains(code))
    #expect(try new.run("tokenvault token --group \(Self.group)").output == "at-ada\n")
    #expect(try new.run("tokenvault group verify \(Self.group)").status == 0)

    // The new machine has keys of its own, and the next code is that of the new machine.
    let next = try #require(
      screen.split(separator: "\n").first { $0.contains("To make a new one") })
    let made = try new.run(try #require(next.components(separatedBy: ": ").last))
    #expect(made.status == 0 && made.output != paper.output)
    #expect(try old.run("tokenvault token --group \(Self.group)").output == "at-ada\n")
  }

  @Test func aBackupWithoutACodeAndItsKeyCannotBeOpened() throws {
    let old = try CommandLineFixtures().home(oldKeyring)
    #expect(try old.run("tokenvault import one.json").status == 0)
    let name = "com.microsoft.identity.universalstorage"
    let backup = try old.run("tokenvault group backup \(name) copy")
    #expect(backup.errors.contains("has no recovery code"))
    let new = try CommandLineFixtures().home(newKeyring)
    try FileManager.default.copyItem(
      at: old.directory.appending(path: "copy"), to: new.directory.appending(path: "copy"))
    let refused = try new.run("tokenvault group restore \(name) copy")
    #expect(refused.status == 77 && refused.changes.isEmpty)
    #expect(refused.errors.contains("the backup has no recovery code"))
  }

  @Test func aRestoreOverAccountsAsksOnTheTerminal() throws {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    let group = "dev.tokenvault.shared"
    #expect(try home.run("tokenvault import one.json --group \(group)").status == 0)
    #expect(try home.run("tokenvault group backup \(group) one").status == 0)
    #expect(try home.run("tokenvault import cache.json --group \(group)").status == 0)
    let restore = "yes | tokenvault group restore \(group) one 2>/dev/null"
    let no = try TmuxTerminal(restore, in: home, columns: 200)
    let question = try no.wait(for: "[y/N]")
    #expect(question.contains("with 2 accounts by the backup with 1 account?"))
    try no.press("Enter")
    try no.wait(for: "ended with 77")
    #expect(try home.run("tokenvault list --group \(group) | wc -l").output == "3\n")
    let yes = try TmuxTerminal(restore, in: home, columns: 200)
    try yes.wait(for: "[y/N]")
    try yes.type("yes")
    try yes.press("Enter")
    try yes.wait(for: "ended with 0")
    #expect(try home.run("tokenvault list --group \(group) | wc -l").output == "2\n")
  }
}
