import TokenVault
import TokenVaultModel

/// All that the full screen shows. It changes by ``take(_:)`` and by nothing else.
struct UIState {
  let group: GroupName
  var now: Timestamp
  /// How many seconds the local time is ahead of UTC.
  var ahead: Int64 = 0
  var rows = 24
  var columns = 80
  var snapshot: Snapshot?
  var loadFailure: UIFailure?
  var selected: AccountIdentity?
  var page = Page.accounts
  var log: [LogEntry] = []
  var job: Job?
  /// With what to leave once the job is done.
  var leaving: ExitStatus?
  /// What was asked for the last time.
  var url = "https://graph.microsoft.com/v1.0/me"
  var scopes = ""
  /// The scopes that an account has to be signed in again for.
  var missing: (account: Account, scopes: String)?
  var reload = Reload()
  var lastJob = 0

  init(group: GroupName, now: Timestamp) {
    self.group = group
    self.now = now
  }

  /// What fills the screen.
  enum Page: Hashable, Sendable {
    case accounts
    case text(TextPage)
    case form(Form)
    case menu(Menu)
    case confirm(Confirmation)
    /// A sign-in that waits for the user.
    case waiting
  }

  /// Something that is being done.
  struct Job: Hashable, Sendable {
    let number: Int
    let order: UIOrder
    var progress = Progress.working
    var picture: [String] = []
    var isCancelled = false

    enum Progress: Hashable, Sendable {
      case working
      case contacting(String)
      case browser(address: String, isOpened: Bool)
      case device(code: String, address: String, ends: Timestamp)
      case redirected
      case otherProcess
    }
  }

  /// What happened, and when: never a secret.
  struct LogEntry: Hashable, Sendable {
    let time: String
    let what: String
    let result: String
  }

  /// Which readings of the group are under way.
  struct Reload {
    var last = 0
    var isRunning = false
    var isStale = false
    /// Readings up to this one may show what this program did itself.
    var quiet = 0
  }
}

/// Lines to read; longer ones are wrapped.
struct TextPage: Hashable, Sendable {
  let title: String
  let lines: [String]
  var offset = 0

  /// Everything that a terminal would act upon is written out.
  init(_ title: String, _ lines: [String]) {
    self.title = PlainText.escaped(title)
    self.lines = lines.map { PlainText.escaped($0.replacing("\t", with: "  ")) }
  }

  func wrapped(_ columns: Int) -> [String] {
    lines.flatMap { PlainText.wrapped($0, to: columns) }
  }
}

/// Fields to fill in.
struct Form: Hashable, Sendable {
  enum Purpose: Hashable, Sendable {
    case signIn(SignInOrder)
    case call(TokenOrder)
  }
  let title: String
  var purpose: Purpose
  var fields: [TextField]
  var place = 0
  /// What is missing or wrong.
  var complaint = ""

  /// Whether there is a choice between the browser and a code, below the fields.
  var hasMethod: Bool { if case .signIn = purpose { true } else { false } }
  var count: Int { fields.count + (hasMethod ? 1 : 0) }
}

/// Things to choose among.
struct Menu: Hashable, Sendable {
  struct Item: Hashable, Sendable {
    let label: String
    let order: UIOrder
  }
  let title: String
  let items: [Item]
  var place = 0
}

/// A question before something that cannot be undone.
struct Confirmation: Hashable, Sendable {
  let question: String
  var order: SignOutOrder
}

extension UIState {
  var accounts: [Account] { snapshot?.accounts ?? [] }

  /// Who is meant where nobody is named: as ``GroupSession/currentAccount()`` decides.
  var current: Account? {
    if let current = accounts.first(where: \.isCurrent) { return current }
    let signedIn = accounts.filter(\.isSignedIn)
    return signedIn.count == 1 ? signedIn[0] : nil
  }

  var selectedAccount: Account? {
    accounts.first { $0.identity == selected } ?? accounts.first
  }

  /// How many lines a page has between the head and the foot.
  var room: Int { max(1, rows - 5) }

  mutating func note(_ what: String, _ result: String) {
    let day = (now.epochSeconds + ahead) % 86_400
    log.append(
      LogEntry(
        time: Clock.text((day + 86_400) % 86_400, hours: true), what: what,
        result: PlainText.escaped(result)))
    if log.count > 500 { log.removeFirst(log.count - 500) }
  }
}

/// Seconds as a clock shows them.
enum Clock {
  static func text(_ seconds: Int64, hours: Bool = false) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hour, rest) = (seconds / 3600, seconds % 3600)
    let minutes = "\(two(rest / 60)):\(two(rest % 60))"
    if hours { return "\(two(hour)):\(minutes)" }
    return hour > 0 ? "\(hour):\(minutes)" : minutes
  }

  /// For how long a token is still good.
  static func left(_ end: Timestamp, _ now: Timestamp) -> String {
    let seconds = end.epochSeconds - now.epochSeconds
    if seconds <= 0 { return "ended \(end.relative(to: now))" }
    return seconds < 172_800 ? text(seconds) : "\(seconds / 86_400) days"
  }
}
