import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// What happened, for the state to take.
enum UIEvent: Sendable {
  case key(Key)
  case resized(rows: Int, columns: Int)
  /// Another second; and how many seconds the local time is ahead of UTC.
  case tick(Timestamp, ahead: Int64)
  /// Something was written beside the group's file.
  case touched
  /// A while has passed since.
  case settled
  case loaded(Int, Snapshot)
  case notLoaded(Int, UIFailure)
  case prepared(SignInOrder)
  case notPrepared(UIFailure)
  case progress(Int, SignInEvent)
  /// The page of a code, for a telephone's camera.
  case picture(Int, [String])
  case finished(Int, UIOutcome)
}

/// What has to be done outside of the state.
enum UIEffect: Hashable, Sendable {
  /// Read the group; the number comes back with it.
  case load(Int)
  /// Say ``UIEvent/settled`` in a while.
  case settle
  /// Look up what a sign-in begins with, for an account or for a new one.
  case prepare(account: Account?)
  /// Do something that may take long; the number comes back with all that is told of it.
  case start(Int, UIOrder)
  case cancel
  case redraw
  case suspend
  case leave(ExitStatus)
}

/// What the group holds.
struct Snapshot: Sendable {
  var accounts: [Account]
  var emptyReason: EmptyReason?
  var damagedRows = 0
  var device: DeviceInformation?
}

/// Something that a person wants done.
enum UIOrder: Hashable, Sendable {
  case switchTo(Account)
  case token(TokenOrder)
  case call(url: String, TokenOrder)
  case signIn(SignInOrder)
  case signOut(SignOutOrder)

  /// What the log calls it.
  var title: String {
    switch self {
    case .switchTo: "switch"
    case .token(let order): order.forceRefresh ? "refresh" : "token"
    case .call: "call"
    case .signIn: "sign in"
    case .signOut: "sign out"
    }
  }
}

/// Which token is wanted.
struct TokenOrder: Hashable, Sendable {
  var account: Account
  var scopes = ""
  var clientID: String?
  var forceRefresh = false
}

/// How somebody is to be signed in.
struct SignInOrder: Hashable, Sendable {
  /// The account to sign in again; nil for anybody.
  var account: Account?
  var clientID = ""
  var authority = ""
  var scopes = ""
  var loginHint = ""
  var usesDeviceCode = false
}

/// Who is to be signed out, and how far.
struct SignOutOrder: Hashable, Sendable {
  /// Nil for every account of the group.
  var account: Account?
  /// Nil for every tool.
  var clientID: String?
  var endsBrowserSession = false
}

/// What an order came to.
enum UIOutcome: Sendable {
  /// A line for the log, and what there is to read.
  case done(String, TextPage?)
  case failed(UIFailure)
  /// One of these has to be named.
  case scopesNeeded([String])
  case clientNeeded([String])
}

/// Why something did not work, in words.
struct UIFailure: Hashable, Sendable {
  var message: String
  var next: String?
  var needsSignIn = false
  var isCancellation = false
}
