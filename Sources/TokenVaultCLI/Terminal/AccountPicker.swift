import TokenVaultModel

/// Chooses an account on a terminal.
struct AccountPicker {
  private let accounts: [Account]
  private let lines: [String]
  private var filter = ""
  private var selected = 0

  init(_ accounts: [Account], now: Timestamp) {
    self.accounts = accounts
    lines = zip(accounts, accounts.shownPlaces).map { account, place in
      let alias = account.alias.map { "  (\(PlainText.escaped($0)))" } ?? ""
      let state = account.isSignedIn ? "" : "  signed out"
      return (account.isCurrent ? "* " : "  ") + PlainText.escaped(account.shownName) + alias
        + "  " + PlainText.escaped(place) + state
    }
    selected = accounts.firstIndex(where: \.isCurrent) ?? 0
  }

  /// Runs until an account is chosen; Esc and Ctrl-C are ``CommandError/interrupted``.
  func choose(on terminal: RawTerminal) throws(CommandError) -> Account {
    var picker = self
    // The alternate screen leaves the previous contents untouched.
    terminal.write("\u{1b}[?1049h\u{1b}[?25l")
    defer {
      terminal.write("\u{1b}[?25h\u{1b}[?1049l")
      terminal.restore()
    }
    var shown = ""
    while true {
      let screen = picker.screen(terminal.size)
      if screen != shown { terminal.write(screen) }
      shown = screen
      if let account = try picker.take(try terminal.key()) { return account }
    }
  }

  private var matching: [Int] {
    guard !filter.isEmpty else { return Array(accounts.indices) }
    let wanted = filter.lowercased()
    return accounts.indices.filter { lines[$0].lowercased().contains(wanted) }
  }

  private mutating func take(_ key: RawTerminal.Key) throws(CommandError) -> Account? {
    let found = matching
    switch key {
    case .enter: return found.indices.contains(selected) ? accounts[found[selected]] : nil
    case .escape: throw .interrupted
    case .up: move(-1, found.count)
    case .down: move(1, found.count)
    // While the filter is empty, j and k move; after that they are part of the filter.
    case .character(UInt8(ascii: "k")) where filter.isEmpty: move(-1, found.count)
    case .character(UInt8(ascii: "j")) where filter.isEmpty: move(1, found.count)
    case .character(let byte) where (0x20..<0x7f).contains(byte):
      filter.unicodeScalars.append(Unicode.Scalar(byte))
      selected = 0
    case .erase:
      if !filter.isEmpty { filter.removeLast() }
      selected = 0
    case .eraseLine:
      filter = ""
      selected = 0
    case .character, .none: break
    }
    return nil
  }

  private mutating func move(_ step: Int, _ count: Int) {
    if count > 0 { selected = (selected + step + count) % count }
  }

  /// The whole screen: a window of the list around the selected line, and the filter.
  private func screen(_ size: (rows: Int, columns: Int)) -> String {
    let found = matching
    let room = max(1, size.rows - 2)
    let first = max(0, min(selected - room / 2, found.count - room))
    var text = "\u{1b}[H"
    func line(_ content: String, reversed: Bool = false) {
      let cut = PlainText.cut(content, to: size.columns - 1)
      text += (reversed ? "\u{1b}[7m\(cut)\u{1b}[0m" : cut) + "\u{1b}[K"
    }
    if size.rows > 1 {
      line(filter.isEmpty ? "Which account? Type to filter." : "Which account? \(filter)_")
      text += "\r\n"
    }
    for (place, index) in found.enumerated().dropFirst(first).prefix(room) {
      line(lines[index], reversed: place == selected)
      if place < found.count - 1, place < first + room - 1 { text += "\r\n" }
    }
    if found.isEmpty { line("  no account matches") }
    return text + "\u{1b}[J"
  }
}
