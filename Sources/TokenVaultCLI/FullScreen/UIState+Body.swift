import TokenVault
import TokenVaultModel

/// The part of the screen between the head and the foot.
extension UIState {
  func body() -> UIScreen {
    switch page {
    case .accounts: accountsAndLog()
    case .text(let text): body(text)
    case .form(let form): body(form)
    case .menu(let menu): body(menu)
    case .confirm(let confirmation): body(confirmation)
    case .waiting: waiting()
    }
  }

  // MARK: The accounts and the log

  private func accountsAndLog() -> UIScreen {
    var screen = UIScreen()
    guard !accounts.isEmpty else {
      for text in emptyText {
        for line in PlainText.wrapped(text, to: columns - 2) { screen.add(" " + line) }
      }
      addLog(to: &screen)
      return screen
    }
    let table = visibleAccounts
    screen.add(table.heading, .dim)
    for row in table.rows {
      let account = row.account
      screen.add(
        row.text,
        row.isSelected
          ? .reverse : account.isCurrent ? .bold : account.isSignedIn ? .plain : .dim)
    }
    if table.rows.isEmpty { screen.add(" No account matches.") }
    if let damaged = snapshot?.damagedRows, damaged > 0 {
      screen.add(" \(damaged) more cannot be read: tokenvault doctor")
    }
    addLog(to: &screen)
    return screen
  }

  /// The rows of the list that fit into the window.
  var visibleAccounts: AccountColumns {
    let first = max(0, min(place - listRoom / 2, shownCount - listRoom))
    return AccountColumns(
      list, count: shownCount, rows: first..<min(first + listRoom, shownCount), selected: place,
      now: now, columns: columns, index: index)
  }

  /// The number of rows for accounts. A third of the space is for the log, so that results stay
  /// visible.
  var listRoom: Int { max(1, room - 1 - min(log.count + 2, max(2, room / 3))) }

  private var emptyText: [String] {
    if let loadFailure, snapshot == nil {
      return [PlainText.escapedLines(loadFailure.message)]
        + (loadFailure.next.map { ["", "On the command line: \($0)"] } ?? [])
    }
    guard let snapshot else {
      return reload.count == 0
        ? ["Opening the group…"] : ["Reading the group: \(reload.count) accounts…"]
    }
    let why = snapshot.emptyReason.map(Failure.sentence) ?? "No account."
    return [
      why, "", "n  sign in, in the browser or with a code on another device",
      "+  add a password or access token for a service", "g  show another group",
      "   tokenvault import FILE  imports accounts from another tool's cache",
    ]
  }

  private func addLog(to screen: inout UIScreen) {
    let space = room - screen.lines.count - 2
    guard space > 0, !log.isEmpty else { return }
    screen.add("")
    screen.add(" LOG", .dim)
    for entry in log.suffix(space) {
      let what = PlainText.cut(entry.what, to: 9)
      let gap = String(repeating: " ", count: 10 - PlainText.width(what))
      screen.add(" \(entry.time)  \(what)\(gap)\(entry.result)")
    }
  }

  // MARK: Pages

  private func body(_ text: TextPage) -> UIScreen {
    var screen = UIScreen()
    screen.add(" " + text.title, .bold)
    screen.add("")
    for line in text.wrapped.dropFirst(text.offset).prefix(textRoom) {
      screen.add(" " + line)
    }
    return screen
  }

  private func body(_ form: Form) -> UIScreen {
    var screen = UIScreen()
    screen.add(" " + form.title, .bold)
    screen.add("")
    for (index, field) in form.fields.enumerated() {
      let isSelected = index == form.place
      let label = "\(isSelected ? ">" : " ") \(field.label)"
      let head = label + String(repeating: " ", count: max(1, 13 - PlainText.width(label)))
      let window = field.window(columns - 15)
      if isSelected { screen.cursor = (screen.lines.count, 13 + window.cursor) }
      screen.add(head + window.text, isSelected ? .bold : .plain)
    }
    if case .signIn(let order) = form.purpose {
      let isSelected = form.place == form.fields.count
      let (browser, device) = order.usesDeviceCode ? (" ", "x") : ("x", " ")
      screen.add(
        "\(isSelected ? ">" : " ") With       (\(browser)) browser  (\(device)) code",
        isSelected ? .bold : .plain)
      let isPage = form.place == form.fields.count + 1
      screen.add(
        "\(isPage ? ">" : " ") Page       "
          + (order.usesDeviceCode ? "chosen on the other device" : order.promptText),
        isPage ? .bold : .plain)
    }
    screen.add("")
    guard !form.complaint.isEmpty else {
      screen.add(" " + form.advice)
      return screen
    }
    for line in PlainText.escapedLines(form.complaint).split(separator: "\n") {
      for part in PlainText.wrapped(String(line), to: columns - 2) { screen.add(" " + part) }
    }
    return screen
  }

  private func body(_ menu: Menu) -> UIScreen {
    var screen = UIScreen()
    screen.add(" " + menu.title, .bold)
    screen.add("")
    let most = max(1, room - 2)
    let first = max(0, min(menu.place - most / 2, menu.items.count - most))
    for (index, item) in menu.items.enumerated().dropFirst(first).prefix(most) {
      let isSelected = index == menu.place
      screen.add(
        "\(isSelected ? ">" : " ") \(index + 1)  \(item.label)", isSelected ? .reverse : .plain)
    }
    return screen
  }

  private func body(_ confirmation: Confirmation) -> UIScreen {
    var screen = UIScreen()
    func add(_ text: String, _ style: UIScreen.Style = .plain) {
      for line in PlainText.wrapped(text, to: columns - 2) { screen.add(" " + line, style) }
    }
    add(confirmation.question, .bold)
    screen.add("")
    add(confirmation.consequence)
    screen.add("")
    if let order = confirmation.signOut {
      add("[\(order.endsBrowserSession ? "x" : " ")] b  also end the session in the browser")
      screen.add("")
    }
    add("y  \(confirmation.action)      n  cancel")
    return screen
  }

  private func waiting() -> UIScreen {
    var screen = UIScreen()
    // The code is shown next to the text if all of it fits: a part of a QR code is useless.
    var picture = job?.picture ?? []
    let width = picture.map(PlainText.width).max() ?? 0
    if picture.count > room || columns - width < 42 { picture = [] }
    let textColumns = picture.isEmpty ? columns - 2 : columns - width - 3
    func add(_ text: String, _ style: UIScreen.Style = .plain) {
      for line in PlainText.wrapped(text, to: textColumns) { screen.add(" " + line, style) }
    }
    add("Sign in", .bold)
    screen.add("")
    switch job?.progress {
    case .browser(_, true):
      add("Continue in the browser, which shows the provider's page.")
    case .browser(let address, false):
      add("Open this page in a browser on this machine:")
      screen.add("")
      add(address)
      screen.add("")
      add("Without a browser: press Esc, and sign in with a code.")
    case .device(let code, let address, let ends):
      add("Open this page on any device and enter the code:")
      screen.add("")
      add("Page  \(address)")
      add("Code  \(code)", .bold)
      screen.add("")
      add("The code expires in \(Clock.text(max(0, ends.epochSeconds - now.epochSeconds))).")
    case .contacting(let host): add("Contacting \(host)…")
    case .redirected: add("Signed in in the browser; requesting the tokens…")
    case .otherProcess, .working, nil: add("…")
    }
    for (row, part) in picture.enumerated() {
      if row == screen.lines.count { screen.add("") }
      screen.lines[row].text = Self.spread(screen.lines[row].text, part, columns)
    }
    return screen
  }
}
