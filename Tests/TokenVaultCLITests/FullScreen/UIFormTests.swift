import Testing
import TokenVaultModel

@testable import TokenVault
@testable import TokenVaultCLI

/// Forms, secrets and groups on the full screen.
@Suite(.timeLimit(.minutes(1)))
struct UIFormTests {
  private let secret = UIFixtures.secret()
  private var withSecret: UIState { UIFixtures.state([secret, UIFixtures.two[0]]) }

  private var foot: (UIState) -> String {
    { $0.shown.split(separator: "\n", omittingEmptySubsequences: false).suffix(2).joined() }
  }

  // MARK: Sign-in

  private func filled() -> UIState {
    var state = UIFixtures.state()
    state.type("n")
    _ = state.take(.prepared(SignInOrder(clientID: "app", authority: "https://id.example.com")))
    state.press(.tab, .tab)
    state.type("User.Raed")
    state.press(.enter)
    return state
  }

  @Test func aFailedSignInKeepsTheForm() {
    var state = filled()
    let failure = UIFailure(message: "The provider refused the scope.", next: "tokenvault doctor")
    _ = state.take(.finished(1, .failed(failure)))
    #expect(state.shown.contains("> Scopes     User.Raed"))
    #expect(state.shown.contains("  Client id  app"))
    #expect(
      state.shown.contains(
        " The provider refused the scope.\n On the command line: tokenvault doctor"))
    state.press(.erase, .erase, .erase)
    state.type("ead")
    let order = SignInOrder(
      clientID: "app", authority: "https://id.example.com", scopes: "User.Read")
    #expect(state.press(.enter) == [.start(2, .signIn(order))])
    _ = state.take(.finished(2, .done("signed in", nil)))
    // The next one begins anew.
    #expect(state.type("n") == [.prepare(account: nil)])
  }

  @Test func aCancelledSignInKeepsTheFormForTheNextTry() {
    var state = filled()
    let failure = UIFailure(message: "Cancelled; nothing was stored.", isCancellation: true)
    _ = state.take(.finished(1, .failed(failure)))
    #expect(state.page == .accounts)
    // That of an account is another form.
    #expect(state.type("r") == [.prepare(account: UIFixtures.two[0])])
    #expect(state.type("n").isEmpty)
    #expect(state.shown.contains("> Scopes     User.Raed"))
    state.type("x")
    state.press(.escape)
    state.type("n")
    #expect(state.shown.contains("> Scopes     User.Raedx"))
  }

  @Test func theHintsAreThoseOfTheFormAboveThem() {
    var state = UIFixtures.state([UIFixtures.two[0], secret])
    #expect(foot(state).contains("r sign in again") && foot(state).contains("c claims"))
    state.type("a")
    #expect(foot(state).hasSuffix(" Enter call  Tab next  Ctrl-U clear  Esc back"))
    state.press(.escape)
    state.type("+")
    #expect(foot(state).hasSuffix(" Enter store  Tab next  Ctrl-U clear  Esc back"))
    state.press(.escape)
    state.type("o1")
    #expect(foot(state).hasSuffix(" y sign out  n cancel  b browser too"))
    state.press(.escape, .down)
    #expect(foot(state).contains("t details  r replace  o remove"))
    for hint in ["sign in again", "refresh", "claims", "sign out", "token"] {
      #expect(!foot(state).contains(hint))
    }
    state.type("o")
    #expect(foot(state).hasSuffix(" y remove  n cancel"))
    state.press(.escape)
    state.type("/")
    #expect(foot(state).hasSuffix(" Enter keep matches  arrows move  Esc end search"))
  }

  // MARK: Secrets

  @Test func aStoredSecretHasItsOwnActions() {
    var state = withSecret
    state.press(.home)
    // It is not refreshed, has no claims, and no provider to sign in to.
    #expect(state.type("fc").isEmpty)
    #expect(state.page == .accounts)
    // It is sent to its own service, and the URL of an account's call is not replaced.
    state.type("a")
    #expect(state.shown.contains("> URL        https://git.example.com\n"))
    #expect(!state.shown.contains("Scopes"))
    state.type("/api")
    let call = UIOrder.call(url: "https://git.example.com/api", TokenOrder(account: secret))
    #expect(state.press(.enter) == [.start(1, call)])
    _ = state.take(.finished(1, .done("200", nil)))
    #expect(state.url == "https://graph.microsoft.com/v1.0/me")
    #expect(state.type("t").isEmpty)
    #expect(state.shown.contains(" Service    https://git.example.com"))
    #expect(state.shown.contains(" tokenvault token --account eve"))
    state.press(.escape)
    #expect(state.type("o").isEmpty)
    #expect(state.shown.contains("Remove the secret for eve at https://git.example.com?"))
    #expect(!state.shown.contains("browser"))
    #expect(state.type("b").isEmpty)
    #expect(state.type("y") == [.start(2, .signOut(SignOutOrder(account: secret)))])
    #expect(state.job?.order.title == "remove")
  }

  @Test func aStoredSecretIsNoSignedInAccount() {
    var state = UIFixtures.state([secret, UIFixtures.secret("mia")])
    #expect(state.shown.contains("\n No account is signed in; stored: 2 secrets\n"))
    state.snapshot?.current = secret
    #expect(state.shown.contains("\n Current secret: eve\n"))
    #expect(withSecret.shown.contains("\n Signed in: ada@contoso.example (work)\n"))
  }

  private func sent(_ effects: [UIEffect]) -> SecretOrder? {
    if case .start(_, .add(let order)) = effects.first { order } else { nil }
  }

  @Test func aSecretIsTypedAndNeverShown() throws {
    var state = withSecret
    state.type("+")
    #expect(state.press(.enter).isEmpty)
    #expect(state.shown.contains("Service is required."))
    state.type("git.example.com")
    state.press(.tab)
    state.type("ada")
    state.press(.enter)
    #expect(state.shown.contains("Secret is required."))
    state.type("hunter3ß")
    state.press(.erase, .erase)
    state.type("2")
    #expect(state.shown.contains("> Secret     *******\n"))
    state.press(.tab)
    state.type("90d")
    state.press(.backTab)
    #expect(!state.shown.contains("hunter"))
    let order = try #require(sent(state.press(.enter)))
    #expect((order.service, order.username) == ("git.example.com", "ada"))
    #expect(order.secret?.revealed.reveal() == Array("hunter2".utf8))
    #expect(order.expires == "90d" && !order.replaces)
    #expect(!"\(state)".contains("hunter2"))
    // A failure keeps the form, with the secret.
    _ = state.take(.finished(1, .failed(UIFailure(message: "The disk is full."))))
    #expect(state.shown.contains("The disk is full."))
    #expect(state.shown.contains("> Secret     *******\n"))
    // Esc forgets it.
    state.press(.escape)
    #expect(state.kept == nil)
    state.type("+")
    #expect(state.shown.contains("> Service\n"))
  }

  @Test func aSecretIsReplacedOnlyAfterAYes() throws {
    var state = withSecret
    state.press(.home)
    state.type("r")
    #expect(state.shown.contains("  Service    https://git.example.com"))
    #expect(state.shown.contains("  User name  eve"))
    state.type("new")
    var order = try #require(sent(state.press(.enter)))
    _ = state.take(.finished(1, .replaces("eve at https://git.example.com")))
    #expect(
      state.shown.contains("Replace the stored secret for eve at https://git.example.com?"))
    #expect(state.type("n").isEmpty)
    #expect(state.shown.contains("> Secret     ***\n"))
    state.press(.enter)
    _ = state.take(.finished(2, .replaces("eve at https://git.example.com")))
    order.replaces = true
    #expect(state.type("y") == [.start(3, .add(order))])
    _ = state.take(.finished(3, .done("replaced", nil)))
    #expect(state.kept == nil)
  }

  @Test func aPastedSecretLosesItsLineEndAndNothingElse() throws {
    func paste(_ text: String) throws -> (HiddenText, UIState) {
      var state = withSecret
      state.type("+git.example.com")
      state.press(.tab)
      state.type("ada")
      state.press(.tab)
      for scalar in text.unicodeScalars { state.press(.pasted(scalar)) }
      guard case .form(let form) = state.page else { throw CommandError.secretNotNamed }
      return (try #require(form.fields[2].hidden), state)
    }
    #expect(try paste(" pass word \n").0.revealed.reveal() == Array(" pass word ".utf8))
    var (_, state) = try paste("one\ntwo")
    #expect(state.press(.enter).isEmpty)
    #expect(state.shown.contains("The secret has several lines."))
    state.press(.eraseLine)
    state.type("one")
    #expect(sent(state.press(.enter))?.secret?.revealed.reveal() == Array("one".utf8))
  }

  @Test func aSecretThatDoesNotFitIsRefusedAndNotCut() throws {
    var state = withSecret
    state.type("+git.example.com")
    state.press(.tab)
    state.type("ada")
    state.press(.tab)
    for _ in 0..<PassphraseReading.limit { state.press(.pasted("x")) }
    // A shorter character would still fit after one that did not.
    state.press(.erase, .pasted("\u{20ac}"), .pasted("x"))
    #expect(state.press(.enter).isEmpty)
    #expect(state.shown.contains("The secret has more than 4 KiB; nothing was stored."))
    state.press(.erase, .erase)
    #expect(state.press(.enter).isEmpty)
    state.press(.eraseLine)
    for _ in 0..<PassphraseReading.limit { state.press(.pasted("x")) }
    #expect(
      sent(state.press(.enter))?.secret?.revealed.reveal()
        == [UInt8](repeating: UInt8(ascii: "x"), count: PassphraseReading.limit))
  }

  // MARK: Groups

  @Test func theGroupIsChosenFromAMenu() throws {
    var state = UIFixtures.state()
    #expect(state.type("g") == [.findGroups])
    let other: GroupName = "com.example.team"
    let groups = [
      FoundGroup(name: UIFixtures.group, hasFile: true), FoundGroup(name: other, hasFile: false),
    ]
    _ = state.take(.groups(groups))
    #expect(state.shown.contains("> 1  * com.microsoft.identity.universalstorage"))
    #expect(state.shown.contains("  2    com.example.team  (empty)"))
    state.press(.end, .pageUp, .pageDown)
    #expect(state.press(.enter) == [.open(other, addsSecret: false)])
    let failure = UIFailure(message: "The passphrase is wrong.")
    _ = state.take(.notOpened(other, failure))
    #expect(state.shown.contains("The passphrase is wrong."))
    state.press(.escape)
    // The group before it is still there.
    #expect(state.selectedAccount?.username == "ada@contoso.example")
    let shown = state.showing(other)
    #expect(shown.shown.contains(" TokenVault  com.example.team"))
    #expect(shown.log.last?.result == "com.example.team")
    #expect(shown.log.count == state.log.count + 1)
  }

  @Test func aSecretGoesToTheGroupForSecretsUnlessAGroupWasChosen() {
    var state = UIFixtures.state()
    state.secrets = "dev.tokenvault.shared"
    #expect(state.type("+") == [.open("dev.tokenvault.shared", addsSecret: true)])
    state = state.showing("com.example.team")
    _ = state.take(.resized(rows: 24, columns: 80))
    #expect(state.type("+").isEmpty)
    #expect(state.shown.contains(" Add a secret to com.example.team\n"))
  }

  @Test func theGroupInViewIsNotOpenedAgain() {
    var state = UIFixtures.state()
    state.type("g")
    _ = state.take(.groups([FoundGroup(name: UIFixtures.group, hasFile: true)]))
    #expect(state.press(.enter).isEmpty)
    #expect(state.page == .accounts)
  }
}
