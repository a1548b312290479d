import Testing
import TokenVaultModel

@testable import TokenVaultCLI

@Suite(.timeLimit(.minutes(2)))
struct UISearchTests {
  private static let people = ["ada", "bob", "carla", "dora", "eve"].map {
    UIFixtures.account("\($0)@contoso.example", alias: $0 == "eve" ? "Admin" : nil)
  }

  private func names(_ state: UIState) -> [String] {
    state.visibleAccounts.rows.map { String($0.account.username.prefix { $0 != "@" }) }
  }

  @Test func typingNarrowsTheList() {
    var state = UIFixtures.state(Self.people)
    state.type("/")
    #expect(names(state).count == 5)
    state.type("d")
    #expect(names(state) == ["ada", "dora", "eve"])
    state.type("o")
    #expect(names(state) == ["dora"])
    #expect(state.shown.contains("\n /do   1 of 1\n"))
    state.press(.erase, .erase)
    #expect(names(state).count == 5)
    // The case of letters does not matter, and aliases and hosts are searched, too.
    state.type("ADMI")
    #expect(names(state) == ["eve"])
    state.press(.eraseLine)
    state.type("MicrosoftOnline")
    #expect(names(state).count == 5)
  }

  @Test func keysAreTextUntilEnter() {
    var state = UIFixtures.state(Self.people)
    #expect(state.type("/qn?").isEmpty)
    #expect(state.shown.contains("No account matches."))
    #expect(state.shown.contains("/qn?   no match"))
    #expect(state.selectedAccount == nil)
    #expect(state.press(.enter).isEmpty)
    // Without a match there is no account to act on.
    #expect(state.type("sto").isEmpty)
    #expect(state.page == .accounts)
  }

  @Test func theMatchStaysSelectedAfterTheSearch() {
    var state = UIFixtures.state(Self.people)
    state.type("/a@")
    #expect(names(state) == ["ada", "carla", "dora"])
    state.press(.down)
    #expect(state.selectedAccount?.username == "carla@contoso.example")
    // A longer text that it still matches keeps it.
    state.press(.home)
    state.press(.down)
    state.type("contoso")
    #expect(state.selectedAccount?.username == "carla@contoso.example")
    state.press(.escape)
    #expect(names(state).count == 5)
    #expect(state.shown.contains(">  carla@contoso.example"))
  }

  @Test func nAndShiftNGoThroughTheMatches() {
    var state = UIFixtures.state(Self.people)
    state.type("/a@")
    state.press(.enter)
    state.type("n")
    #expect(state.selectedAccount?.username == "carla@contoso.example")
    state.type("nn")
    #expect(state.selectedAccount?.username == "ada@contoso.example")
    state.type("N")
    #expect(state.selectedAccount?.username == "dora@contoso.example")
    #expect(state.shown.contains("n, N next"))
    #expect(state.type("s") == [.start(1, .switchTo(Self.people[3]))])
    _ = state.take(.finished(1, .done("done", nil)))
    state.press(.escape)
    // Without a search, n signs in.
    #expect(state.type("n") == [.prepare(account: nil)])
  }

  @Test func aSearchEndsWithItsText() {
    var state = UIFixtures.state(Self.people)
    for key in [Key.enter, .escape, .erase] {
      state.type("/")
      #expect(state.search != nil)
      state.press(key)
      #expect(state.search == nil)
    }
  }

  @Test func aSearchFollowsTheGroup() {
    var state = UIFixtures.state(Self.people)
    state.type("/do")
    state.press(.enter)
    _ = state.take(.touched)
    _ = state.take(
      .loaded(2, UIFixtures.snapshot(Self.people + [UIFixtures.account("edo@x")])))
    #expect(names(state) == ["dora", "edo"])
    #expect(state.selectedAccount?.username == "dora@contoso.example")
    _ = state.take(.touched)
    _ = state.take(.loaded(3, UIFixtures.snapshot([Self.people[0]])))
    #expect(state.shown.contains("No account matches."))
    state.press(.escape)
    #expect(state.selectedAccount?.username == "ada@contoso.example")
  }

  @Test func aSearchFindsOneOfAHundredThousand() {
    var state = UIFixtures.state((0..<100_000).map { UIFixtures.account("user\($0)@x") })
    state.type("/user7777")
    #expect(names(state).prefix(3) == ["user7777", "user77770", "user77771"])
    #expect(state.shownCount == 11)
    state.type("@")
    #expect(names(state) == ["user7777"])
    state.press(.escape)
    #expect(state.place == 7777)
  }

  @Test func pagesAndEndsOfTheListAreOneKeyAway() {
    var state = UIFixtures.state((0..<1000).map { UIFixtures.account("user\($0)") })
    let page = state.visibleAccounts.rows.count
    state.press(.pageDown)
    #expect(state.place == page)
    state.type(" ")
    #expect(state.place == 2 * page)
    state.press(.pageUp)
    state.type("b")
    #expect(state.place == 0)
    state.press(.end)
    #expect(state.place == 999)
    state.press(.pageDown)
    #expect(state.place == 999)
    state.press(.home)
    #expect(state.place == 0)
    state.press(.pageUp)
    #expect(state.place == 0)
  }
}
