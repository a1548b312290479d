import Foundation
import TokenVault

// Signs users in with a browser, calls Microsoft Graph for them, and signs them out, as the app of
// the MSAL tutorials does, but in a terminal. docs/tutorial.md explains it step by step.
//
//   graph-sample SETTINGS.json COMMAND [ACCOUNT]

let usage = """
  usage: graph-sample SETTINGS.json COMMAND [ACCOUNT]
    sign-in   in the browser              me        what Graph knows of the account
    device    with a code, elsewhere      claims    what its ID token says
    token     silently, else signing in   accounts  everybody in the group
    current   who it is now               watch     the same, whenever that changes
    mode      private or shared device    sign-out [--browser] [--wipe]
  """
let flags = CommandLine.arguments.filter { $0.hasPrefix("--") }
let words = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
guard (2...3).contains(words.count) else { complain(usage, exitCode: 64) }
let name = words.count > 2 ? words[2] : nil

do {
  let settings = try Settings(file: words[0])
  let app = try SampleApp(settings)
  tellProgress(of: app.application)
  try await run(words[1], app)
} catch is SampleApp.BadGroupName {
  complain("The group in the settings file is not a valid group name.", exitCode: 78)
} catch VaultError.homeNotSet {
  complain("HOME is not set.", exitCode: 78)
} catch VaultError.notAMember(let executable, let group) {
  complain(
    "\(executable) is not a member of \(group).\n"
      + "To let it in: tokenvault group members \(group) --add \(executable)",
    exitCode: 77)
} catch VaultError.ambiguousCurrentAccount(let candidates, _) {
  complain("Which one? " + candidates.map(\.username).joined(separator: ", "), exitCode: 64)
} catch VaultError.signIn(.adminConsentRequired(let page, _)) {
  complain("An administrator has to open this page first: \(page)", exitCode: 76)
} catch VaultError.signIn(.userCancelled), VaultError.signIn(.policyCancelled) {
  complain("You did not sign in.", exitCode: 1)
} catch VaultError.signIn(.declinedScopes(_, let declined)) {
  complain("You are signed in, without \(declined.joined(separator: " "))", exitCode: 1)
} catch {
  complain("\(error)", exitCode: 1)
}

func run(_ command: String, _ app: SampleApp) async throws {
  switch command {
  case "sign-in": show(try await app.signIn())
  case "device": show(try await app.signInOnAnotherDevice())
  case "token": show(try await app.token(for: try await account(app)))
  case "me":
    let answer = try await app.profile(of: try await account(app))
    print(String(decoding: answer.body, as: UTF8.self))
    if answer.status != 200 { complain("Graph answered \(answer.status)", exitCode: 1) }
  case "claims":
    let claims = try await account(app).claims?.claimsJSON ?? Array("{}".utf8)
    print(String(decoding: claims, as: UTF8.self))
  case "accounts":
    for account in try await app.application.accounts().accounts {
      let state = account.isSignedIn ? "signed in" : "signed out"
      print("\(account.isCurrent ? "*" : " ") \(account.username)  \(state)")
    }
  case "current": try await showCurrent(app)
  case "watch":
    try await showCurrent(app)
    for try await _ in app.application.vault.changes() { try await showCurrent(app) }
  case "mode": print(try await app.application.deviceInformation().mode.rawValue)
  case "sign-out":
    let report = try await app.signOut(
      try await account(app), fromBrowser: flags.contains("--browser"),
      wiping: flags.contains("--wipe"))
    for entry in report.entries { print(entry.isClean ? "clean" : "LEFT", entry.place.rawValue) }
    for case .notOpened(let page) in report.browserSessions {
      tell("To sign out there too, open: \(page)")
    }
  default: complain(usage, exitCode: 64)
  }
}

func account(_ app: SampleApp) async throws -> Account {
  guard let account = try await app.account(name) else {
    complain("Nobody is signed in. Begin with: sign-in", exitCode: 4)
  }
  return account
}

func show(_ result: TokenResult) {
  let source = result.isFromCache ? "from the group" : "from \(result.account.environment)"
  print("\(result.account.username): a token \(source) for \(result.scopes)")
}

func showCurrent(_ app: SampleApp) async throws {
  let (account, hasChanged) = try await app.currentAccount()
  print((account?.username ?? "nobody") + (hasChanged ? ", not the one before" : ""))
  fflush(nil)
}

/// Prints the step that the user has to take while the program waits.
func tellProgress(of application: PublicClientApplication) {
  let events = application.events
  Task {
    for await event in events {
      switch event {
      case .waitingForBrowser(let page, isOpened: false): tell("Open this page: \(page)")
      case .waitingForBrowser: tell("Sign in in the browser.")
      case .waitingForDevice(let code): tell("Open \(code.verificationURI), enter \(code.userCode)")
      default: break
      }
    }
  }
}

func tell(_ message: String) { FileHandle.standardError.write(Data((message + "\n").utf8)) }

func complain(_ message: String, exitCode: Int32) -> Never {
  tell(message)
  exit(exitCode)
}
