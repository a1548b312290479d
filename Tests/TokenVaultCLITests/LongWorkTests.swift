import Foundation
import Testing
import TokenVaultTestSupport

/// Commands on many accounts, on a real terminal and in pipes.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct LongWorkTests {
  private static let many = 1000

  private func home(_ count: Int) throws -> ShellHome {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    let made = try home.run(
      """
      python3 -c '
      import json
      t = "\(CommandLineFixtures.contoso)"
      cache = {"Account": {}, "RefreshToken": {}}
      for i in range(\(count)):
        o = "%08d-1111-4111-8111-111111111111" % i
        base = {"home_account_id": o + "." + t, "environment": "login.microsoftonline.com"}
        cache["Account"][str(i)] = dict(base, realm=t, local_account_id=o,
          username="user%d@contoso.example" % i, authority_type="MSSTS")
        cache["RefreshToken"][str(i)] = dict(base, client_id="c", credential_type="RefreshToken",
          secret="rt", target="User.Read")
      json.dump(cache, open("many.json", "w"))
      '
      """)
    try #require(made.status == 0, "\(made.errors)")
    return home
  }

  /// Holds the group's write lock for a second, so that the line of an import is drawn however fast
  /// the machine is.
  private static let anotherWriter = """
    tokenvault group create com.microsoft.identity.universalstorage >/dev/null
    mkfifo locked
    python3 -c '
    import glob, sqlite3, time
    path = glob.glob(".local/share/tokenvault/groups/*.vault")[0]
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    print("locked", file=open("locked", "w"))
    time.sleep(1)
    ' &
    read -r locked <locked
    """

  /// The output of a command on a terminal, with the escape sequences.
  private func onTerminal(
    _ command: String, after first: String = "", _ home: ShellHome
  ) throws -> String {
    let run = try home.run("\(first)\nTERM=xterm script -qec '\(command)' /dev/null")
    #expect(run.status == 0, "\(command): \(run.output)")
    return run.output.replacing("\r\n", with: "\n")
  }

  /// The text without what was drawn over.
  private func left(_ text: String) -> String {
    text.replacing(/\r[^\r\n]*?\x{1b}\[K/, with: "")
  }

  /// Only the line of the work is drawn, and it is cleared. A fast machine draws nothing.
  private func expectOnlyProgress(_ label: String, _ text: String) throws {
    let line = try Regex("(?:\(label): \\d+ of 1000)?")
    let drawn = text.matches(of: /\r([^\r\n]*?)\x{1b}\[K/).map(\.output.1)
    #expect(drawn.allSatisfy { $0.wholeMatch(of: line) != nil }, "\(drawn)")
    #expect(drawn.last?.isEmpty != false)
    #expect(!left(text).contains("\u{1b}"), "\(left(text))")
  }

  @Test func longWorkShowsOneLineAndThenASummary() throws {
    let home = try home(Self.many)
    let imported = try onTerminal(
      "tokenvault import many.json", after: Self.anotherWriter, home)
    #expect(imported.contains(/\rImporting accounts: \d+ of 1000\x{1b}\[K/), "\(imported)")
    #expect(
      left(imported).split(separator: "\n").suffix(2) == [
        "added  1000 accounts",
        "1000 credentials stored in com.microsoft.identity.universalstorage.",
      ], "\(left(imported))")
    #expect(left(imported).split(separator: "\n").count < 6)
    #expect(imported.contains("--verbose lists"))
    try expectOnlyProgress("Importing accounts", imported)
    let verified = try onTerminal("tokenvault group verify", home)
    try expectOnlyProgress("Checking accounts", verified)
    #expect(left(verified).contains("is sound: 1000 accounts"))
    try expectOnlyProgress(
      "Exporting accounts", onTerminal("tokenvault export -o copy.json", home))
    try expectOnlyProgress(
      "Encrypting the accounts with new keys", onTerminal("tokenvault group rekey", home))
    // Where nobody watches, nothing is drawn.
    for option in ["--quiet", "--json", "--no-input"] {
      #expect(!(try onTerminal("tokenvault group verify \(option)", home)).contains("\u{1b}"))
    }
    let dry = try onTerminal("tokenvault sign-out --all --dry-run", home)
    #expect(
      dry.contains("would sign out  1000 accounts  from com.microsoft.identity.universalstorage"))
    let gone = try onTerminal("tokenvault sign-out --all --yes --no-revoke", home)
    try expectOnlyProgress("(?:Erasing|Revoking tokens of) accounts", gone)
    #expect(left(gone).contains("signed out  1000 accounts  from com.microsoft.identity"))
    #expect(
      left(gone).contains(
        "NOT CLEAN file  \(home.directory.path)/many.json still has 1000 accounts"))
    #expect(left(gone).split(separator: "\n").count < 15, "\(left(gone))")
    #expect(!left(gone).contains("\u{1b}"))
  }

  @Test func aPipeGetsEveryLineAndNoProgress() throws {
    let count = 150
    let home = try home(count)
    let imported = try home.run("tokenvault import many.json")
    #expect(imported.output.split(separator: "\n").count == count + 1)
    #expect(!imported.errors.contains("\r") && !imported.errors.contains("\u{1b}"))
    let all = try onTerminal("tokenvault import many.json --verbose", home)
    #expect(
      left(all).split(separator: "\n").filter { $0.hasPrefix("unchanged  ") }.count == count)
    // An error lists some of the candidates.
    let ambiguous = try home.run("tokenvault token")
    #expect(ambiguous.status == 64)
    #expect(ambiguous.errors.split(separator: "\n").count == 23, "\(ambiguous.errors)")
    #expect(ambiguous.errors.contains("\n  and \(count - 20) more\n"))
    let gone = try home.run("tokenvault sign-out --all --yes --no-revoke")
    let lines = gone.output.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("signed out  ") }.count == count)
    #expect(lines.filter { $0.hasPrefix("  NOT CLEAN file") }.count == count)
  }
}
