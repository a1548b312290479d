import Glibc
import Synchronization
import TokenVault
import TokenVaultModel
import TokenVaultSystem

/// `list --watch`: the list on the whole terminal, or each of its versions one after another for a
/// program. inotify(7) reports changes; nothing is read as long as there are none.
final class ListWatch {
  /// The terminal, on which no prompt may appear once it shows the list.
  private final class Terminal: Sendable {
    private let state = Mutex(false)
    var isTaken: Bool { state.withLock(\.self) }
    func take() { state.withLock { $0 = true } }
  }

  private let command: ListCommand
  private let invocation: Invocation
  private let query: AccountQuery
  private let selection: Selection?
  private let directory: DirectoryWatch
  private let mailbox: Mailbox
  /// One for each group, so that a passphrase is typed once.
  private var sessions: [GroupName: GroupSession] = [:]
  /// When to read the groups again after a change, in microseconds by the monotonic clock.
  private var readings: [Int64] = []
  private var accounts: [Account] = []
  /// Of the groups that could not be read; of a single group, the error ends the command.
  private var failures: [Failure] = []
  /// The errors that were printed already, so that each is printed once.
  private var told: [String] = []
  private var inForce: Account?
  private let terminal = Terminal()
  /// The content of the last answer for a program. A time that is said in other words is no change.
  private var answered: (accounts: [Account], inForce: Account?)?

  init(_ command: ListCommand, _ invocation: Invocation) throws {
    self.command = command
    self.invocation = invocation
    query = AccountQuery(command.filters)
    let selection = command.allGroups ? nil : try command.selection(invocation)
    if let selection {
      invocation.explain(selection)
      guard invocation.knows(selection.group) else {
        throw CommandError.unknownGroup(selection.group)
      }
    }
    self.selection = selection
    let group = selection?.group ?? .universalStorage
    directory = try DirectoryWatch(beside: invocation.configuration(group).groupPath)
    mailbox = try Mailbox()
  }

  func run() throws {
    // Before the screen is taken: a passphrase prompt may appear.
    try read()
    guard invocation.canFillScreen, !command.global.json else { return try answerChanges() }
    guard let screen = FullScreen(isStyled: invocation.hasColour) else {
      throw CommandError.screenNeedsTerminal
    }
    try show(on: screen)
  }

  // MARK: The accounts

  private func read() throws {
    var found: [Account] = []
    failures = []
    for group in try selection.map({ [$0.group] }) ?? invocation.groupsOnDisk() {
      do {
        let listing = try AccountEnumeration(session(group)).accounts(query)
        found += listing.accounts
        try command.requireWhole(listing, group)
      } catch {
        guard selection == nil else { throw error }
        failures.append(Failure(invocation.refined(error)).of(group))
      }
    }
    tellFailures()
    accounts = found
    inForce = nil
    if let selection, !command.global.json {
      inForce = invocation.chosenAccount(selection, in: try session(selection.group))
    }
  }

  /// Reports each failure once, as long as it lasts. On the whole terminal the last line has their
  /// number.
  private func tellFailures() {
    guard !terminal.isTaken else { return }
    for failure in failures where !told.contains(failure.message) {
      Invocation.tell(failure, asJSON: invocation.options.isJSON)
    }
    told = failures.map(\.message)
  }

  private func session(_ group: GroupName) throws -> GroupSession {
    if let session = sessions[group] { return session }
    let session = try terminal.isTaken ? invocation.vaultWithoutPrompt(of: group) : asking(group)
    sessions[group] = session
    return session
  }

  /// A session that may ask for a passphrase until the screen is taken.
  private func asking(_ group: GroupName) throws -> GroupSession {
    var configuration = try invocation.configuration(group)
    let ask = configuration.passphrase
    configuration.passphrase = { [terminal] purpose in
      try terminal.isTaken ? nil : ask?(purpose)
    }
    return GroupSession(configuration)
  }

  private func table(columns: Int?, colour: Bool) -> [UInt8] {
    let table = AccountTable(
      accounts, now: invocation.now, showsGroup: command.allGroups, inForce: inForce)
    return command.layout.shown(table.text(columns: columns, colour: colour))
  }

  // MARK: For a program

  private func answerChanges() throws {
    while true {
      try answer()
      var isTouched = false
      while !isTouched {
        guard try wait([STDOUT_FILENO], for: 0, seconds: nil, &isTouched) == nil else {
          // Nobody reads the answer any more.
          return
        }
      }
      try read()
    }
  }

  private func answer() throws {
    if let answered, answered == (accounts, inForce) { return }
    let isFirst = answered == nil
    answered = (accounts, inForce)
    let answer: [UInt8]
    if command.global.json {
      var writer = JSONWriter()
      writer.array(accounts) { $1.write(to: &$0) }
      answer = JSONWriter.safeForTerminals(writer.finished())
    } else {
      answer = table(columns: nil, colour: false)
    }
    // Between two tables is an empty line.
    try invocation.answer((isFirst || command.global.json ? [] : [UInt8(ascii: "\n")]) + answer)
  }

  // MARK: On a terminal

  private func show(on screen: FullScreen) throws {
    UISignals.begin(waking: mailbox.waking)
    terminal.take()
    screen.enter()
    defer { screen.leave() }
    while true {
      screen.draw(self.screen(screen.size))
      var isTouched = false
      let now = invocation.now
      let seconds = accounts.compactMap(\.accessTokenExpiresOn).filter { !$0.isNever }
        .map { $0.secondsOfText(at: now) }.min()
      let ready = try wait(
        [screen.descriptor, mailbox.reading], for: POLLIN, seconds: seconds, &isTouched)
      _ = mailbox.take()
      if let signal = UISignals.arrived {
        screen.leave()
        // Delivered again, so that the parent process sees the signal in the exit status.
        kill(getpid(), signal)
        throw Failure.printed(.interrupted)
      }
      if UISignals.takeStop() { suspend(screen) }
      if UISignals.takeResumption() {
        // The shell may have changed the terminal while the process was stopped.
        screen.leave()
        screen.enter()
      }
      if ready == screen.descriptor {
        guard let keys = screen.read() else { throw Failure.printed(.interrupted) }
        if keys.contains(where: { $0 == 0x03 || $0 == 0x04 }) {
          throw Failure.printed(.interrupted)
        }
        if keys.contains(UInt8(ascii: "q")) { return }
        if keys.contains(0x1a) { suspend(screen) }
        if keys.contains(0x0c) { screen.forget() }
      }
      if isTouched { try read() }
    }
  }

  private func suspend(_ screen: FullScreen) {
    screen.suspend()
    _ = UISignals.takeResumption()
  }

  /// The table as far as it fits, and a line with what is missing.
  private func screen(_ size: (rows: Int, columns: Int)) -> UIScreen {
    let text = String(decoding: table(columns: size.columns, colour: false), as: UTF8.self)
    var lines = text.split(separator: "\n").map(String.init)
    if accounts.isEmpty { lines = ["No account."] }
    let headings = command.layout.noHeader || accounts.isEmpty ? 0 : 1
    let rows = max(1, size.rows - 1)
    var screen = UIScreen()
    for (row, line) in lines.prefix(rows).enumerated() {
      let account = row - headings
      let isMarked = accounts.indices.contains(account) && isInForce(accounts[account])
      screen.add(PlainText.cut(line, to: size.columns), isMarked ? .bold : .plain)
    }
    while screen.lines.count < rows { screen.add("") }
    let missing = lines.count - rows
    let group = selection.map { "\($0.group)" } ?? "all groups"
    let unread = failures.isEmpty ? "" : "\(failures.count.counted("group")) cannot be read; "
    let end = unread + (missing > 0 ? "\(missing) more; q quits" : "\(group); q quits")
    screen.add(PlainText.cut(end, to: size.columns), .dim)
    return screen
  }

  private func isInForce(_ account: Account) -> Bool {
    guard let inForce, inForce.group == account.group else { return account.isCurrent }
    return account.identity == inForce.identity
  }

  // MARK: Waiting

  /// Waits for one of the descriptors, a change of the groups, a signal, or so many seconds.
  /// - Parameter isTouched: Set if the groups are to be read again.
  /// - Returns: The first of the descriptors that is ready.
  private func wait(
    _ descriptors: [Int32], for events: Int32, seconds: Int64?, _ isTouched: inout Bool
  ) throws -> Int32? {
    let end = seconds.map { Deadline.microseconds + min($0, 86_400) * 1_000_000 }
    let next = (readings + [end].compactMap(\.self)).min()
    // At least a millisecond after the time, so that the clock has reached it.
    let patience = next.map { Int32(clamping: max(0, $0 - Deadline.microseconds) / 1_000 + 1) }
    var polls =
      [pollfd(fd: directory.descriptor, events: Int16(POLLIN), revents: 0)]
      + descriptors.map { pollfd(fd: $0, events: Int16(events), revents: 0) }
    let ready = unsafe poll(&polls, nfds_t(polls.count), patience ?? -1)
    let now = Deadline.microseconds
    if readings.contains(where: { $0 <= now }) {
      readings.removeAll { $0 <= now }
      isTouched = true
    }
    guard ready > 0 else { return nil }
    if polls[0].revents != 0 {
      directory.drain()
      isTouched = true
      readings = DirectoryWatch.pausesMilliseconds.map { now + Int64($0) * 1_000 }
    }
    return polls.dropFirst().first { $0.revents != 0 }?.fd
  }
}
