import TokenVault
import TokenVaultModel

/// Everything that the full screen shows. Only ``take(_:)`` changes it.
struct UIState {
  let group: GroupName
  /// The group for new secrets, as for `add`; nil for the group in view, if it was chosen.
  var secrets: GroupName?
  var now: Timestamp
  /// The offset of local time from UTC in seconds.
  var ahead: Int64 = 0
  var rows = 24
  var columns = 80
  var snapshot: Snapshot?
  var loadFailure: UIFailure?
  /// The selected row of the list as it is shown.
  var place = 0
  var search: AccountSearch?
  var page = Page.accounts
  /// The form that was sent or left last, with what was typed.
  var kept: Form?
  var log: [LogEntry] = []
  var job: Job?
  /// The exit status to leave with when the job has finished.
  var leaving: ExitStatus?
  /// The URL and scopes of the last call.
  var url = "https://graph.microsoft.com/v1.0/me"
  var scopes = ""
  /// The scopes that require an account to sign in again.
  var missing: (account: Account, scopes: String)?
  var reload = Reload()
  var lastJob = 0

  init(group: GroupName, now: Timestamp) {
    self.group = group
    self.now = now
  }

  /// The state for another group, in the same window and with the same log.
  func showing(_ group: GroupName) -> UIState {
    var state = UIState(group: group, now: now)
    (state.ahead, state.rows, state.columns, state.log) = (ahead, rows, columns, log)
    state.note("open", group.description)
    return state
  }

  /// The page on the screen.
  enum Page: Hashable, Sendable {
    case accounts
    case text(TextPage)
    case form(Form)
    case menu(Menu)
    case confirm(Confirmation)
    /// A sign-in is waiting for the user.
    case waiting
  }

  /// A running order.
  struct Job: Hashable, Sendable {
    let number: Int
    let order: UIOrder
    var progress = Progress.working
    var picture: [String] = []
    var isCancelled = false
    /// Whether the log says that another user's request was refused.
    var isWarned = false

    enum Progress: Hashable, Sendable {
      case working
      case contacting(String)
      case browser(address: String, isOpened: Bool)
      case device(code: String, address: String, ends: Timestamp)
      case redirected
      case otherProcess
    }
  }

  /// An event and its time; never contains a secret.
  struct LogEntry: Hashable, Sendable {
    let time: String
    let what: String
    let result: String
  }

  /// The state of reading the group.
  struct Reload {
    /// The number of accounts that the running reading has read.
    var count = 0
    var last = 0
    var isRunning = false
    var isStale = false
    /// Readings up to this number may show changes by this program itself.
    var quiet = 0
  }
}

extension UIState {
  private static let nothing = AccountList()

  var list: AccountList { snapshot?.list ?? Self.nothing }

  var accounts: [Account] { list.accounts }

  var current: Account? { snapshot?.current }

  var selectedAccount: Account? {
    (0..<shownCount).contains(place) ? accounts[index(ofRow: place)] : nil
  }

  /// The number of lines between the head and the foot.
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
