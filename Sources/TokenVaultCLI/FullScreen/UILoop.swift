import Glibc
import TokenVault
import TokenVaultModel

/// Passes events to the state and draws the state, until the user leaves.
final class UILoop {
  private let invocation: Invocation
  private var work: UIWork
  private let screen: FullScreen
  private let watch: DirectoryWatch
  private var state: UIState
  private var keys = KeyParser()
  private var status: ExitStatus?
  /// How often another group was opened.
  private var openings = 0

  init(_ invocation: Invocation, _ work: UIWork) throws {
    guard let screen = FullScreen(isStyled: invocation.hasColour) else {
      throw CommandError.screenNeedsTerminal
    }
    let watch = try DirectoryWatch(beside: work.groupPath)
    self.watch = watch
    self.screen = screen
    self.invocation = invocation
    self.work = work
    state = UIState(group: work.group, now: invocation.now)
    let secrets = try invocation.selectGroupOfSecrets().group
    state.secrets = secrets == work.group ? nil : secrets
  }

  func run() throws {
    UISignals.begin(waking: work.mailbox.waking)
    screen.enter()
    defer { screen.leave() }
    tick()
    state.note("open", state.group.description)
    perform(state.load())
    while status == nil {
      perform(state.take(.resized(rows: screen.size.rows, columns: screen.size.columns)))
      screen.draw(state.screen())
      wait()
      if let signal = UISignals.arrived {
        work.cancel()
        screen.leave()
        // Delivered again, so that the parent process sees the signal in the exit status.
        kill(getpid(), signal)
        throw Failure.printed(.interrupted)
      }
      if UISignals.takeStop() { suspend() }
      if UISignals.takeResumption() { resume() }
    }
    screen.leave()
    if let status, status != .done { throw Failure.printed(status) }
  }

  /// A single Esc is the Esc key after this pause. The bytes of another key arrive together, also
  /// over SSH; a key has to be answered within 50 ms.
  private static let escapeMilliseconds: Int32 = 25

  /// Waits for keys, events, changes of the group, signals or the next full second.
  private func wait() {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    let patience =
      keys.isWaiting ? Self.escapeMilliseconds : Int32(1_000 - time.tv_nsec / 1_000_000)
    var polls = [screen.descriptor, work.mailbox.reading, watch.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let ready = unsafe poll(&polls, nfds_t(polls.count), patience)
    tick()
    if ready == 0, keys.isWaiting { take(keys.flush()) }
    guard ready > 0 else { return }
    if polls[0].revents != 0 {
      guard let bytes = screen.read() else {
        // The terminal is gone, without a SIGHUP.
        work.cancel()
        status = .interrupted
        return
      }
      take(keys.take(bytes))
    }
    if polls[1].revents != 0 {
      for event in work.mailbox.take() { perform(state.take(event)) }
    }
    if polls[2].revents != 0 {
      watch.drain()
      perform(state.take(.touched))
    }
  }

  private func take(_ keys: [Key]) {
    let before = openings
    // Keys that were typed ahead for a passphrase prompt are no commands.
    for key in keys where status == nil && openings == before {
      perform(state.take(.key(key)))
    }
  }

  private func tick() {
    var now = time(nil)
    var parts = unsafe tm()
    let ahead = unsafe localtime_r(&now, &parts) == nil ? 0 : unsafe parts.tm_gmtoff
    perform(state.take(.tick(Timestamp(epochSeconds: Int64(now)), ahead: Int64(ahead))))
  }

  private func perform(_ effects: [UIEffect]) {
    for effect in effects {
      switch effect {
      case .load(let number): work.load(number)
      case .settle: work.settle()
      case .prepare(let account): work.prepare(account)
      case .findGroups: work.findGroups()
      case .open(let group, let addsSecret): open(group, addsSecret)
      case .start(let number, let order): work.start(number, order)
      case .cancel: work.cancel()
      case .redraw: screen.forget()
      case .suspend: suspend()
      case .leave(let status): self.status = status
      }
    }
  }

  /// Shows another group. The screen is given back meanwhile, because a passphrase prompt may
  /// appear; all groups are in the directory that is watched.
  private func open(_ group: GroupName, _ addsSecret: Bool) {
    openings += 1
    screen.leave()
    defer { screen.enter() }
    do {
      let work = try UIWork(invocation, group)
      try work.open()
      self.work = work
    } catch {
      return perform(state.take(.notOpened(group, UIFailure(error))))
    }
    UISignals.begin(waking: work.mailbox.waking)
    state = state.showing(group)
    if addsSecret { state.showSecretForm(nil) }
    perform(state.load())
  }

  private func suspend() {
    screen.suspend()
    _ = UISignals.takeResumption()
    tick()
  }

  /// The shell may have changed the terminal while the process was stopped, and drew over it.
  private func resume() {
    screen.leave()
    screen.enter()
    tick()
  }
}
