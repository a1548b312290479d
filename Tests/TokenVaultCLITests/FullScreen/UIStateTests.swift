import TokenVaultSignIn
import Testing
import TokenVaultModel

@testable import TokenVault
@testable import TokenVaultCLI

@Suite(.timeLimit(.minutes(1)))
struct UIStateTests {
  private let ada = UIFixtures.two[0]
  private let bob = UIFixtures.two[1]

  @Test func theCurrentAccountIsSelectedFirst() {
    let state = UIFixtures.state([
      UIFixtures.account("ada"), UIFixtures.account("bob", isCurrent: true),
    ])
    #expect(state.selectedAccount?.username == "bob")
    #expect(state.current?.username == "bob")
  }

  /// Whether an account that was not chosen is current depends on the group's past.
  @Test func theAccountThatCommandsUseIsShownAsCurrent() {
    let one = UIFixtures.account("ada")
    var state = UIFixtures.state([one])
    #expect(state.current == nil)
    #expect(state.shown.contains("1 account is signed in, and none is current: press s"))
    state.snapshot?.current = one
    #expect(state.shown.contains("Signed in: ada"))
  }

  @Test func switchUsesTheSelectedAccount() {
    var state = UIFixtures.state()
    state.press(.down)
    #expect(state.type("s") == [.start(1, .switchTo(bob))])
    // One thing at a time.
    #expect(state.type("t").isEmpty)
    _ = state.take(.finished(1, .done("bob is the current account", nil)))
    #expect(state.job == nil)
    #expect(state.log.last?.result == "bob is the current account")
  }

  @Test func aSecondReadingWaitsForTheFirst() {
    var state = UIFixtures.state()
    #expect(state.take(.touched) == [.load(2), .settle])
    #expect(state.take(.touched) == [.settle])
    #expect(state.take(.settled).isEmpty)
    #expect(state.take(.loaded(2, UIFixtures.snapshot(UIFixtures.two))) == [.load(3)])
    #expect(state.take(.loaded(3, UIFixtures.snapshot(UIFixtures.two))).isEmpty)
  }

  @Test func changesByOtherToolsAreLogged() {
    var state = UIFixtures.state()
    _ = state.take(.touched)
    _ = state.take(
      .loaded(
        2,
        UIFixtures.snapshot(
          [
            UIFixtures.account("bob@contoso.example", isCurrent: true, left: -600),
            UIFixtures.account("eve@contoso.example"),
          ], after: state.snapshot)))
    #expect(
      state.log.map(\.result) == [
        "ada@contoso.example was removed from the group", "bob@contoso.example is current",
        "bob@contoso.example is signed in", "eve@contoso.example was added to the group",
      ])
    #expect(state.log.allSatisfy { $0.what == "elsewhere" })
  }

  @Test func ownChangesAreNotLoggedAsChangesByOtherTools() {
    var state = UIFixtures.state()
    state.press(.down, .enter)
    let after = [UIFixtures.account("bob@contoso.example", isCurrent: true)]
    _ = state.take(.touched)
    #expect(state.take(.finished(1, .done("done", nil))).isEmpty)
    // The reading that was running, and the one after it.
    #expect(state.take(.loaded(2, UIFixtures.snapshot(UIFixtures.two))) == [.load(3)])
    _ = state.take(.loaded(3, UIFixtures.snapshot(after, after: state.snapshot)))
    #expect(state.log.map(\.result) == ["done"])
    _ = state.take(.touched)
    _ = state.take(.loaded(4, UIFixtures.snapshot([], after: state.snapshot)))
    #expect(state.log.last?.result == "bob@contoso.example was removed from the group")
  }

  @Test func aSignInAsksForMissingParameters() {
    var state = UIFixtures.state()
    #expect(state.type("n") == [.prepare(account: nil)])
    _ = state.take(.prepared(SignInOrder(clientID: "app")))
    #expect(state.press(.enter).isEmpty)
    #expect(state.shown.contains("Authority is required."))
    state.type("https://id.example.com")
    state.press(.tab)
    state.type("User.Read")
    // The choice of the method follows the fields.
    state.press(.tab, .tab)
    state.type(" ")
    let order = SignInOrder(
      clientID: "app", authority: "https://id.example.com", scopes: "User.Read",
      usesDeviceCode: true)
    #expect(state.press(.enter) == [.start(1, .signIn(order))])
    #expect(state.page == .waiting)
  }

  @Test func aSignInCanChooseTheProvidersPage() {
    var state = UIFixtures.state()
    state.type("n")
    _ = state.take(.prepared(SignInOrder(clientID: "app", authority: "https://id.example.com")))
    state.press(.backTab)
    #expect(state.shown.contains("> Page       automatic"))
    state.press(.right)
    #expect(state.shown.contains("> Page       choose an account"))
    state.press(.left, .left)
    #expect(state.shown.contains("> Page       create an account"))
    state.press(.right, .right, .right)
    let order = SignInOrder(
      clientID: "app", authority: "https://id.example.com", prompt: .login)
    #expect(state.press(.enter) == [.start(1, .signIn(order))])
  }

  @Test func escCancelsAWaitingSignIn() {
    var state = UIFixtures.state()
    _ = state.start(.signIn(SignInOrder()))
    #expect(state.press(.escape) == [.cancel])
    #expect(state.press(.escape).isEmpty)
    let failure = UIFailure(message: "Cancelled; nothing was stored.", isCancellation: true)
    _ = state.take(.finished(1, .failed(failure)))
    #expect(state.page == .accounts)
    #expect(state.log.last?.result == "Cancelled; nothing was stored.")
  }

  @Test func aSignOutIsNotInterrupted() {
    var state = UIFixtures.state()
    _ = state.start(.signOut(SignOutOrder()))
    #expect(state.press(.escape).isEmpty)
    #expect(state.type("q").isEmpty)
    #expect(state.shown.contains("Leaving when this has finished: sign out."))
    #expect(state.take(.finished(1, .done("done", nil))) == [.leave(.done)])
  }

  @Test func aSecondCtrlCLeavesAtOnce() {
    var state = UIFixtures.state()
    _ = state.start(.token(TokenOrder(account: ada)))
    #expect(state.press(.interrupt) == [.cancel])
    #expect(state.press(.interrupt) == [.leave(.interrupted)])
  }

  @Test func ctrlCLeavesWhenTheRunningOrderEnds() {
    var state = UIFixtures.state()
    _ = state.start(.token(TokenOrder(account: ada)))
    state.press(.interrupt)
    #expect(state.take(.finished(1, .done("done", nil))) == [.leave(.interrupted)])
  }

  @Test func aSignOutNeedsConfirmation() {
    var state = UIFixtures.state()
    #expect(state.type("o2").isEmpty)
    #expect(state.type("x").isEmpty)
    #expect(state.type("n").isEmpty)
    #expect(state.page == .accounts)
    #expect(state.type("o2b").isEmpty)
    let order = SignOutOrder(account: ada, clientID: "client-1", endsBrowserSession: true)
    #expect(state.type("y") == [.start(1, .signOut(order))])
  }

  @Test func enterDoesNotConfirmASignOut() {
    var state = UIFixtures.state()
    state.type("o")
    state.press(.enter)
    #expect(state.press(.enter, .enter).isEmpty)
    #expect(state.job == nil)
  }

  @Test func severalTokensOpenAMenu() {
    var state = UIFixtures.state()
    state.type("f")
    _ = state.take(.finished(1, .scopesNeeded(["Mail.Read", "User.Read"])))
    let order = TokenOrder(account: ada, scopes: "User.Read", forceRefresh: true)
    #expect(state.type("2") == [.start(2, .token(order))])
    _ = state.take(.finished(2, .clientNeeded(["a", "b"])))
    var named = order
    named.clientID = "a"
    #expect(state.press(.enter) == [.start(3, .token(named))])
  }

  @Test func aCallRemembersItsURL() {
    var state = UIFixtures.state()
    state.type("a")
    state.press(.eraseLine)
    state.type("https://api.example.com/x")
    let order = UIOrder.call(url: "https://api.example.com/x", TokenOrder(account: ada))
    #expect(state.press(.enter) == [.start(1, order)])
    _ = state.take(.finished(1, .done("200", TextPage("x", ["{}"]))))
    state.press(.escape)
    state.type("a")
    #expect(state.shown.contains("> URL        https://api.example.com/x"))
  }

  @Test func aFailureShowsTheNextStep() {
    var state = UIFixtures.state()
    state.type("t")
    _ = state.take(
      .finished(1, .failed(UIFailure(message: "It has ended.", needsSignIn: true))))
    #expect(state.shown.contains("It has ended."))
    #expect(state.shown.contains("Press r"))
  }

  @Test func aSignInAfterARefusalRequestsTheMissingScopes() {
    var state = UIFixtures.state()
    state.type("a")
    state.press(.tab)
    state.type("Mail.Read")
    state.press(.enter)
    _ = state.take(
      .finished(1, .failed(UIFailure(message: "Consent is missing.", needsSignIn: true))))
    state.press(.escape)
    #expect(state.type("r") == [.prepare(account: ada)])
    let known = SignInOrder(account: ada, clientID: "c", authority: "a", scopes: "User.Read")
    _ = state.take(.prepared(known))
    #expect(state.shown.contains("  Scopes     Mail.Read"))
    state.press(.enter)
    _ = state.take(.finished(2, .done("signed in", nil)))
    state.type("r")
    _ = state.take(.prepared(known))
    #expect(state.shown.contains("  Scopes     User.Read"))
  }

  @Test func anEventOfAnEarlierOrderIsIgnored() {
    var state = UIFixtures.state()
    state.type("t")
    _ = state.take(.finished(7, .done("other", nil)))
    _ = state.take(.progress(7, .redirectReceived))
    #expect(state.job?.progress == .working)
    #expect(state.log.isEmpty)
  }

  @Test func aTooSmallWindowAcceptsOnlyTheKeysToLeave() {
    var state = UIFixtures.state(rows: 9, columns: 80)
    #expect(state.type("t").isEmpty)
    #expect(state.type("q") == [.leave(.done)])
  }
}
