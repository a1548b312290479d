import TokenVault
import TokenVaultModel

extension UIState {
  /// The smallest usable size.
  static let least = (rows: 10, columns: 40)

  var isTooSmall: Bool { rows < Self.least.rows || columns < Self.least.columns }

  /// The screen, with exactly as many lines as the window.
  func screen() -> UIScreen {
    if isTooSmall { return tooSmall() }
    var screen = UIScreen()
    screen.add(
      Self.spread(" TokenVault  \(group)", deviceText, columns), .reverse)
    screen.add(" " + currentText, .bold)
    screen.add(String(repeating: "─", count: columns), .dim)
    let body = body()
    if let cursor = body.cursor { screen.cursor = (cursor.row + 3, cursor.column) }
    screen.lines += body.lines.prefix(room)
    while screen.lines.count < rows - 2 { screen.add("") }
    let status = status
    if let line = searchLine, page == .accounts, line.cursor != nil || status.isEmpty {
      if let column = line.cursor { screen.cursor = (rows - 2, column) }
      screen.add(" " + line.text, .bold)
    } else {
      screen.add(" " + (status.isEmpty ? moreHints : status), status.isEmpty ? .dim : .bold)
    }
    screen.add(" " + hints, .dim)
    for index in screen.lines.indices {
      screen.lines[index].text = PlainText.cut(screen.lines[index].text, to: columns)
    }
    return screen
  }

  private func tooSmall() -> UIScreen {
    var screen = UIScreen()
    let text = [
      "The window is too small:",
      "At least \(Self.least.columns)x\(Self.least.rows); this is \(columns)x\(rows).",
      "q leaves.",
    ]
    for line in text.prefix(rows) { screen.add(PlainText.cut(line, to: columns)) }
    while screen.lines.count < rows { screen.add("") }
    return screen
  }

  /// The kind of device, or the progress of a reading that takes long enough to have one.
  private var deviceText: String {
    if reload.isRunning, reload.count > 0, snapshot != nil {
      return "reading: \(reload.count) accounts "
    }
    return snapshot?.device.map { "\($0.mode.rawValue) device " } ?? ""
  }

  private var currentText: String {
    guard snapshot != nil else { return loadFailure == nil ? "…" : "The group cannot be read" }
    if let current {
      let alias = current.alias.map { " (\(PlainText.escaped($0)))" } ?? ""
      let state =
        current.authorityType == .secret
        ? "Current secret: " : current.isSignedIn ? "Signed in: " : "Signed out: "
      return state + PlainText.escaped(current.shownName) + alias
    }
    if accounts.isEmpty { return "No account is signed in" }
    let count = list.signedInCount
    guard count == 0 else {
      return
        "\(count) account\(count == 1 ? " is" : "s are") signed in, and none is current: press s"
    }
    return list.secretCount == accounts.count
      ? "No account is signed in; stored: \(list.secretCount.counted("secret"))"
      : "Every account is signed out"
  }

  private var status: String {
    if leaving != nil, let job {
      return "Leaving when this has finished: \(job.order.title). Ctrl-C leaves at once."
    }
    if let job {
      let text =
        switch job.progress {
        case .working: "…"
        case .contacting(let host): "contacting \(host)…"
        case .browser, .device: "waiting for you…"
        case .redirected: "requesting the tokens…"
        case .otherProcess: "waiting for another process that requests a token…"
        }
      if case .signOut = job.order { return "\(job.order.title): \(text)" }
      return job.isCancelled
        ? "\(job.order.title): cancelling…" : "\(job.order.title): \(text)  Esc cancels"
    }
    if let loadFailure {
      return "The list may be out of date: " + PlainText.escaped(loadFailure.message)
    }
    return ""
  }

  /// The line above the hints, if there is no status to show.
  private var moreHints: String {
    guard page == .accounts, !accounts.isEmpty else { return "" }
    let own = selectedAccount?.authorityType == .secret ? [] : ["r sign in again", "f refresh"]
    return Self.fitting(
      own + ["d device", "l log", "+ add secret", "g group", "/ search"], columns - 2)
  }

  /// The keys of the list, for the selected account or secret.
  private var listHints: [String] {
    let end = ["? keys", "q quit"]
    if search?.isTyping == true { return ["Enter keep matches", "arrows move", "Esc end search"] }
    if accounts.isEmpty {
      return ["n sign in", "+ add secret", "g group", "d device", "l log"] + end
    }
    let start = search == nil ? ["n sign in"] : ["n, N next", "/ change", "Esc end"]
    guard let account = selectedAccount else { return ["/ change", "Esc end"] + end }
    guard account.authorityType != .secret else {
      return start + ["s switch", "a call", "t details", "r replace", "o remove"] + end
    }
    return start + ["s switch", "t token", "a call API", "o sign out", "c claims"] + end
  }

  private var hints: String {
    switch page {
    case .accounts: return Self.fitting(listHints, columns - 2)
    case .text(let text):
      let all = text.wrapped.count
      guard all > textRoom else { return "Esc back" }
      let last = min(all, text.offset + textRoom)
      return Self.fitting(["Esc back", "space, b page", "\(last)/\(all)"], columns - 2)
    case .form(let form):
      let move = form.place >= form.fields.count ? "space switch" : "Tab next"
      return Self.fitting(
        ["Enter \(form.action)", move, "Ctrl-U clear", "Esc back"], columns - 2)
    case .menu: return "Enter choose  Esc back"
    case .confirm(let confirmation):
      let browser = confirmation.signOut == nil ? [] : ["b browser too"]
      return Self.fitting(["y \(confirmation.action)", "n cancel"] + browser, columns - 2)
    case .waiting: return "Esc cancel"
    }
  }

  /// As many hints as fit, always with the last one.
  private static func fitting(_ hints: [String], _ columns: Int) -> String {
    var shown = hints
    while shown.count > 1, PlainText.width(shown.joined(separator: "  ")) > columns {
      shown.remove(at: max(0, shown.count - 3))
    }
    return shown.joined(separator: "  ")
  }

  /// Two texts at the ends of a line; without room the right one is dropped.
  static func spread(_ left: String, _ right: String, _ columns: Int) -> String {
    let space = columns - PlainText.width(left) - PlainText.width(right)
    if space >= 1 { return left + String(repeating: " ", count: space) + right }
    let cut = PlainText.cut(left, to: columns)
    return cut + String(repeating: " ", count: max(0, columns - PlainText.width(cut)))
  }
}
