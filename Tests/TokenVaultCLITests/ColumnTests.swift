import Foundation
import Testing
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault
@testable import TokenVaultCLI

/// The columns of `list` and `ui` in terminals of several widths.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ColumnTests {
  private static let group = GroupName.universalStorage
  private static let other: GroupName = "com.microsoft.identity.universalstorage2"

  private static func account(
    _ name: String, id: String? = nil, host: String = "login.microsoftonline.com",
    issuer: String = "", alias: String? = nil, in group: GroupName = group
  ) -> Account {
    let home = HomeAccountID(id ?? name)
    let type = issuer.isEmpty ? AuthorityType.entra : .oidc
    return Account(
      homeAccountID: home, username: name, environment: host, group: group, alias: alias,
      tenantProfiles: [], clientIDs: ["client"], isCurrent: false, isSignedIn: true,
      authorityType: type, accessTokenExpiresOn: UIFixtures.now.advanced(by: -600),
      isRefreshTokenStored: true, issuer: issuer,
      identity: AccountIdentity(
        homeAccountID: home, environment: host, authorityType: type, issuer: issuer))
  }

  private static let realms = "https://id.example.com/realms/"

  /// Names that are long, wide, combined, hostile, or alike.
  private static let accounts: [Account] = [
    account("ada@contoso.example", alias: "work"),
    account("ada@id.example", id: "s", host: "id.example.com", issuer: realms + "one"),
    account("ada@id.example", id: "s", host: "id.example.com", issuer: realms + "two"),
    account("e\u{301}\u{1f44d}\u{1f3fd} 語語@例え.example", alias: "語のアカウント"),
    account("evil\u{1b}[2J\u{202e}\n\u{9b}31m@x", alias: "a\u{7}"),
    account("very.long.name.of.a.person.in.an.organisation.one@department.contoso.example"),
    account("very.long.name.of.a.person.in.an.organisation.two@department.contoso.example"),
    account("very.long.name.of.a.person.in.an.organisation.two@marketing.contoso.example"),
    account("z\u{0323}\u{0323}\u{0323}\u{0323}@x", id: "11111111-1"),
    account("\u{1112}\u{1161}\u{11ab}@x", id: "22222222-1"),
    account("語語語語語語語語語語語語語語語語語語語語語語語語語語語一@例え.example"),
    account("語語語語語語語語語語語語語語語語語語語語語語語語語語語二@例え.example"),
    account("zoe@x", id: "11111111-2222"), account("zoe@x", id: "11111111-3333"),
  ]

  private static func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Without what changes with the width: the rows, each in words.
  private static func words(_ line: String) -> [Substring] {
    line.split(separator: "  ", omittingEmptySubsequences: true)
  }

  @Test(arguments: [40, 57, 80, 100, 200], [false, true])
  func noRowOfAListWraps(columns: Int, showsGroup: Bool) {
    var accounts = Self.accounts
    if showsGroup {
      accounts += [Self.account("ada@contoso.example", in: Self.other)]
    }
    let table = AccountTable(accounts, now: UIFixtures.now, showsGroup: showsGroup)
    let lines = Self.lines(table.text(columns: columns, colour: false))
    #expect(lines.count == accounts.count + 1)
    for line in lines { #expect(PlainText.width(line) <= columns, "\(line)") }
    #expect(Set(lines).count == lines.count, "\(lines.joined(separator: "\n"))")
  }

  @Test(arguments: [40, 57, 80, 100, 200])
  func noRowOfTheScreenWraps(columns: Int) {
    for size in [10, 40] {
      let state = UIFixtures.state(Self.accounts, rows: size, columns: columns)
      let screen = state.screen()
      for line in screen.lines { #expect(PlainText.width(line.text) <= columns, "\(line.text)") }
      let rows = state.visibleAccounts.rows.map { $0.text.dropFirst(3) }
      #expect(Set(rows).count == rows.count, "\(rows.joined(separator: "\n"))")
    }
  }

  /// The other one of two accounts that look alike may be just outside the window.
  @Test func aRowDoesNotChangeItsNameWhileTheListScrolls() {
    var state = UIFixtures.state(Self.accounts, rows: 10, columns: 40)
    var shown: [AccountIdentity: Set<String>] = [:]
    for _ in Self.accounts {
      for row in state.visibleAccounts.rows {
        shown[row.account.identity, default: []].insert(String(row.text.dropFirst(3)))
      }
      state.press(.down)
    }
    #expect(shown.count == Self.accounts.count)
    #expect(shown.values.allSatisfy { $0.count == 1 }, "\(shown.values)")
    #expect(Set(shown.values).count == shown.count)
  }

  @Test func anAverageListKeepsItsMostImportantColumns() {
    func heading(_ columns: Int, showsGroup: Bool = false) -> [String] {
      let accounts = [
        Self.account("ada@contoso.example"), Self.account("bob@contoso.example"),
      ]
      let table = AccountTable(accounts, now: UIFixtures.now, showsGroup: showsGroup)
      return Self.words(Self.lines(table.text(columns: columns, colour: false))[0])
        .map { $0.filter { $0 != " " } }
    }
    let all = ["ACCOUNT", "ENVIRONMENT", "TENANTS", "STATE", "TOKEN"]
    #expect(heading(200) == all)
    #expect(heading(100) == all)
    #expect(heading(80) == all)
    #expect(heading(60) == ["ACCOUNT", "STATE", "TOKEN"])
    #expect(heading(40) == ["ACCOUNT", "TOKEN"])
    #expect(heading(100, showsGroup: true) == all + ["GROUP"])
    #expect(heading(80, showsGroup: true) == ["ACCOUNT", "TENANTS", "STATE", "TOKEN", "GROUP"])
    #expect(heading(40, showsGroup: true) == ["ACCOUNT", "GROUP"])
  }

  @Test func textsThatWouldLookAlikeAreCutWhereTheyDiffer() {
    let realms = ["one", "two", "twenty"].map { Self.realms + $0 }
    #expect(
      DistinctCut(realms, to: 14).cells == ["https://id…one", "https://id…two", "https:/…twenty"])
    #expect(DistinctCut(["abcdef", "abc"], to: 4).cells == ["abc…", "abc"])
    let people = ["a.very.long.name@x.example", "a.very.long.nome@x.example"]
    #expect(DistinctCut(people, to: 12).cells == ["a.ver…ame@x…", "a.ver…ome@x…"])
    // The same text stays the same; rows that differ elsewhere need no change.
    #expect(Set(DistinctCut([people[0], people[0]], to: 12).cells).count == 1)
    #expect(
      DistinctCut(people, to: 12, within: ["1", "2"]).cells == ["a.very.long…", "a.very.long…"])
  }

  @Test func widthsAreThoseOfTerminals() {
    #expect(PlainText.width("👍") == 2)
    #expect(PlainText.width("⏰✅🚀🥲") == 8)
    #expect(PlainText.width("🇩🇪") == 2)
    #expect(PlainText.width("e\u{301}") == 1)
    #expect(PlainText.width("\u{1112}\u{1161}\u{11ab}") == 2)
    #expect(PlainText.width("ｆｕｌｌ") == 8)
    #expect(PlainText.width("→★") == 2)
  }

  /// Real terminals: `list` fills no row, and a pipe gets whole names.
  @Test func aTerminalShowsEachAccountInOneRow() throws {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    #expect(try home.run("tokenvault import cache.json").status == 0)
    let long = String(repeating: "long.", count: 20)
    for name in ["one", "two", "語語語語語語語語語語語語"] {
      let add =
        "printf x | tokenvault add --group com.microsoft.identity.universalstorage "
        + "--service git.example.com --username"
      #expect(try home.run("\(add) \(long)\(name)").status == 0)
    }
    for columns in [40, 80, 100, 200] {
      let terminal = try TmuxTerminal("tokenvault list", in: home, columns: columns)
      let screen = try terminal.wait(for: "ended with 0")
      let rows = screen.split(separator: "\n").prefix { !$0.contains("ended with") }
      #expect(rows.filter { !$0.contains(":") || $0.contains("@") }.count == 6, "\(screen)")
      #expect(Set(rows).count == rows.count)
    }
    let piped = try TmuxTerminal("tokenvault list | tee piped", in: home, columns: 40)
    try piped.wait(for: "ended with 0")
    let text = try String(contentsOf: home.directory.appending(path: "piped"), encoding: .utf8)
    #expect(text.contains("\(long)one  ") && text.contains("\(long)two  "))
    #expect(text.contains("login.microsoftonline.com") && text.contains("TENANTS"))
  }
}
