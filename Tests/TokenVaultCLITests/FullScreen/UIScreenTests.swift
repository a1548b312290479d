@testable import TokenVaultSignIn
import Testing
import TokenVaultModel

@testable import TokenVault
@testable import TokenVaultCLI

@Suite(.timeLimit(.minutes(1)))
struct UIScreenTests {
  private let rule = String(repeating: "─", count: 80)

  /// The lines, then empty lines, then the foot.
  private func screen(_ lines: String, _ foot: String...) -> String {
    let top = lines.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let empty = Array(repeating: "", count: 24 - foot.count - top.count)
    return (top + empty + foot).joined(separator: "\n")
  }

  private let head = """
     TokenVault  com.microsoft.identity.universalstorage             private device
     Signed in: ada@contoso.example (work)
    """

  @Test func theAccountsAndTheLogIn80x24() {
    var state = UIFixtures.state()
    state.note("open", "2 accounts")
    #expect(
      state.shown
        == screen(
          """
          \(head)
          \(rule)
             ACCOUNT              ALIAS  ENVIRONMENT               STATE  TOKEN
          >* ada@contoso.example  work   login.microsoftonline.c…  in     59:59
             bob@contoso.example         login.microsoftonline.c…  out    ended 10 min ago

           LOG
           22:13:20  open      2 accounts
          """,
          " r sign in again  f refresh  d device  l log  + add secret  g group  / search",
          " n sign in  s switch  t token  a call API  o sign out  c claims  ? keys  q quit"))
  }

  @Test func theTimeLeftCountsDown() {
    var state = UIFixtures.state()
    _ = state.take(.tick(UIFixtures.now.advanced(by: 3595), ahead: 0))
    #expect(state.shown.contains("in     00:04"))
    _ = state.take(.tick(UIFixtures.now.advanced(by: 3600), ahead: 0))
    #expect(state.shown.contains("in     ended 1 s ago"))
  }

  @Test func anEmptyGroupShowsWhatToDo() {
    #expect(
      UIFixtures.state([]).shown
        == screen(
          """
           TokenVault  com.microsoft.identity.universalstorage             private device
           No account is signed in
          \(rule)
           The group has no accounts.

           n  sign in, in the browser or with a code on another device
           +  add a password or access token for a service
           g  show another group
              tokenvault import FILE  imports accounts from another tool's cache
          """, "", " n sign in  + add secret  g group  d device  l log  ? keys  q quit"))
  }

  @Test func aGroupThatCannotBeReadShowsWhy() {
    var state = UIState(group: UIFixtures.group, now: UIFixtures.now)
    #expect(state.shown.contains("Opening the group…"))
    _ = state.load()
    _ = state.take(
      .notLoaded(1, UIFailure(message: "The keyring is locked.", next: "tokenvault doctor")))
    #expect(state.shown.contains("The group cannot be read"))
    #expect(
      state.shown.contains(" The keyring is locked.\n\n On the command line: tokenvault doctor"))
  }

  @Test func aFormIn80x24() {
    var state = UIFixtures.state()
    state.type("n")
    _ = state.take(
      .prepared(
        SignInOrder(
          clientID: "app", authority: "https://login.microsoftonline.com/common",
          scopes: "User.Read")))
    #expect(
      state.shown
        == screen(
          """
          \(head)
          \(rule)
           Sign in

          > Client id  app
            Authority  https://login.microsoftonline.com/common
            Scopes     User.Read
            User name
            With       (x) browser  ( ) code
            Page       automatic

           The client id that the provider assigned to the application.
          """, "", " Enter sign in  Tab next  Ctrl-U clear  Esc back"))
    #expect(state.screen().cursor?.row == 5)
    #expect(state.screen().cursor?.column == 16)
  }

  @Test func aCodeForAnotherDeviceIn80x24() {
    var state = UIFixtures.state()
    _ = state.start(.signIn(SignInOrder()))
    _ = state.take(.progress(1, .waitingForDevice(.example)))
    _ = state.take(.tick(UIFixtures.now.advanced(by: 1), ahead: 0))
    #expect(
      state.shown
        == screen(
          """
          \(head)
          \(rule)
           Sign in

           Open this page on any device and enter the code:

           Page  https://microsoft.com/devicelogin
           Code  ABCD-EFGH

           The code expires in 14:59.
          """, " sign in: waiting for you…  Esc cancels", " Esc cancel"))
  }

  @Test func theQRCodeIsShownNextToTheCodeOrNotAtAll() {
    var state = UIFixtures.state()
    _ = state.start(.signIn(SignInOrder()))
    _ = state.take(.progress(1, .waitingForDevice(.example)))
    _ = state.take(.picture(1, Array(repeating: String(repeating: "█", count: 33), count: 17)))
    let picture = "█████████████████████████████████"
    #expect(state.shown.contains(" Open this page on any device and enter the    \(picture)\n"))
    #expect(state.shown.contains(" Code  ABCD-EFGH"))
    #expect(state.shown.matches(of: /█\n/).count == 17)
    for (rows, columns) in [(21, 80), (24, 74)] {
      _ = state.take(.resized(rows: rows, columns: columns))
      #expect(!state.shown.contains("█"))
      #expect(state.shown.contains(" Code  ABCD-EFGH"))
    }
  }

  @Test func aLongResponseIsShownPageByPage() {
    var state = UIFixtures.state()
    _ = state.start(.token(TokenOrder(account: UIFixtures.two[0])))
    let lines = (1...40).map { "line \($0)" }
    _ = state.take(.finished(1, .done("done", TextPage("Answer", lines))))
    #expect(state.shown.contains(" line 17\n"))
    #expect(!state.shown.contains(" line 18\n"))
    #expect(state.shown.hasSuffix("Esc back  space, b page  17/40"))
    state.press(.pageDown)
    #expect(state.shown.contains(" line 18\n"))
    state.press(.end)
    #expect(state.shown.contains(" line 40\n"))
    #expect(state.shown.hasSuffix("40/40"))
    // A larger window leaves no empty lines at the end.
    _ = state.take(.resized(rows: 60, columns: 80))
    #expect(state.shown.contains(" line 1\n"))
  }

  @Test func namesAreEscapedOnTheScreen() {
    let name = "e\u{1b}[2Jv\u{202e}e\r\n\u{9b}31m@x"
    let hostile = UIFixtures.account(name, isCurrent: true, alias: "a\u{7}", clients: ["c\u{1b}c"])
    var state = UIFixtures.state([hostile])
    state.note("call", name)
    _ = state.take(.touched)
    _ = state.take(.loaded(2, UIFixtures.snapshot([UIFixtures.account("\u{1b}c")])))
    var all = state.shown
    state = UIFixtures.state([hostile])
    for keys in ["o", "c", "a", "l", "o1"] {
      state.type(keys)
      all += state.shown
      state.press(.escape)
      state.press(.escape)
    }
    let failure = UIFailure(message: name, next: name)
    state.type("t")
    _ = state.take(.finished(1, .failed(failure)))
    all += state.shown
    let active = all.unicodeScalars.filter {
      $0 != "\n" && ($0.value < 0x20 || (0x7f..<0xa0).contains($0.value) || $0 == "\u{202e}")
    }
    #expect(active.isEmpty)
    #expect(all.contains(#"e\x1b[2Jv\u202ee\x0d\x0a\x9b31m@x"#))
  }

  @Test(arguments: [(24, 80), (10, 40), (10, 200), (60, 41), (12, 57), (3, 10), (1, 1)])
  func noLineIsWiderThanTheWindow(rows: Int, columns: Int) {
    let accounts = (0..<30).map { index in
      UIFixtures.account(
        "語語語語語語語語語語語語語語語語語語\(index)@contoso.example", alias: "e\u{301}語")
    }
    var state = UIFixtures.state(accounts, rows: rows, columns: columns)
    var screens = [state.screen()]
    for keys in ["o", "c", "a", "l", "d", "?", "o1"] {
      state.type(keys)
      screens.append(state.screen())
      state.press(.escape)
      state.press(.escape)
    }
    _ = state.start(.signIn(SignInOrder()))
    _ = state.take(.progress(1, .waitingForDevice(.example)))
    screens.append(state.screen())
    for screen in screens {
      #expect(screen.lines.count == rows)
      #expect(screen.lines.allSatisfy { PlainText.width($0.text) <= columns })
    }
  }

  @Test func columnsAreDroppedBeforeNamesAreCut() {
    var state = UIFixtures.state(columns: 57)
    #expect(state.shown.contains("ACCOUNT              ALIAS  STATE  TOKEN"))
    _ = state.take(.resized(rows: 10, columns: 40))
    #expect(state.shown.contains(">* ada@contoso.example  59:59"))
  }

  @Test func wideNamesKeepTheColumnsAligned() {
    let state = UIFixtures.state([
      UIFixtures.account("語@x", isCurrent: true), UIFixtures.account("abc@x"),
    ])
    let lines = state.shown.split(separator: "\n")
    #expect(lines.contains(">* 語@x     login.microsoftonline.com  in     1:00:00"))
    #expect(lines.contains("   abc@x    login.microsoftonline.com  in     1:00:00"))
  }

  @Test func aLongListScrollsWithTheSelectedAccount() {
    var state = UIFixtures.state((10..<60).map { UIFixtures.account("user\($0)") })
    #expect(state.shown.contains("user10") && !state.shown.contains("user59"))
    state.press(.end)
    #expect(!state.shown.contains("user10") && state.shown.contains(">  user59"))
  }

  @Test func aTooSmallWindowShowsTheMinimumSize() {
    let state = UIFixtures.state(rows: 5, columns: 30)
    #expect(
      state.shown
        == "The window is too small:\nAt least 40x10; this is 30x5.\nq leaves.\n\n")
  }

  @Test func noInformationIsShownByStyleAlone() {
    let screen = UIFixtures.state().screen()
    for line in screen.lines where line.style == .reverse {
      #expect(line.text.hasPrefix(">") || line == screen.lines[0])
    }
  }

  @Test func claimsAreShownByTenant() {
    var state = UIFixtures.state([
      UIFixtures.account("ada", isCurrent: true, claims: #"{"name":"Ada","oid":"1"}"#)
    ])
    state.type("c")
    #expect(state.shown.contains(" Tenant  tenant  (home tenant)"))
    #expect(state.shown.contains("\n   \"name\": \"Ada\",\n"))
  }
}

extension DeviceCode {
  static let example = DeviceCode(
    userCode: "ABCD-EFGH", verificationURI: "https://microsoft.com/devicelogin",
    verificationURIComplete: nil, expiresIn: 900)
}
