import TokenVaultSignIn
import TokenVault
import TokenVaultModel

extension UIState {
  /// Updates the state for an event, and returns the effects to carry out.
  mutating func take(_ event: UIEvent) -> [UIEffect] {
    let effects = effects(of: event)
    wrapText()
    return effects
  }

  private mutating func effects(of event: UIEvent) -> [UIEffect] {
    switch event {
    case .key(let key): return take(key)
    case .resized(let rows, let columns):
      (self.rows, self.columns) = (rows, columns)
      wrapText()
      scroll(by: 0)
      return []
    case .tick(let now, let ahead):
      (self.now, self.ahead) = (now, ahead)
      return []
    case .touched: return load() + [.settle]
    case .settled: return load()
    case .read(let number, let count):
      if number == reload.last { reload.count = count }
      return []
    case .loaded(let number, let snapshot):
      loadFailure = nil
      if job == nil, number > reload.quiet {
        for change in snapshot.changes { note("elsewhere", change.text(now)) }
      }
      show(snapshot)
      return loadingEnded()
    case .notLoaded(_, let failure):
      if loadFailure != failure { note("read", failure.message) }
      loadFailure = failure
      return loadingEnded()
    case .prepared(var order):
      if let missing, missing.account == order.account { order.scopes = missing.scopes }
      if page == .accounts { page = .form(Form(order)) }
      return []
    case .notPrepared(let failure):
      note("sign in", failure.message)
      if page == .accounts {
        page = .text(TextPage("Sign in", failure.message.split(separator: "\n").map(String.init)))
      }
      return []
    case .groups(let groups):
      if page == .accounts { page = .menu(menu(groups)) }
      return []
    case .notFound(let failure):
      note("groups", failure.message)
      return []
    case .notOpened(let group, let failure):
      note("open", "\(group): \(failure.message)")
      if !failure.isCancellation { page = .text(Self.text(failure, of: "open \(group)")) }
      return []
    case .progress(let number, let event):
      guard job?.number == number else { return [] }
      progress(event)
      return []
    case .picture(let number, let lines):
      if job?.number == number { job?.picture = lines }
      return []
    case .finished(let number, let outcome):
      guard let job, job.number == number else { return [] }
      return finish(job, outcome)
    }
  }

  private mutating func wrapText() {
    guard case .text(var text) = page, text.columns != columns - 2 else { return }
    text.wrap(to: columns - 2)
    page = .text(text)
  }

  // MARK: Reading the group

  /// Reads the group; if a reading is running, another one follows it.
  mutating func load() -> [UIEffect] {
    guard !reload.isRunning else {
      reload.isStale = true
      return []
    }
    reload.last += 1
    reload.count = 0
    reload.isRunning = true
    return [.load(reload.last)]
  }

  private mutating func loadingEnded() -> [UIEffect] {
    reload.isRunning = false
    guard reload.isStale else { return [] }
    reload.isStale = false
    return load()
  }

  /// The selected account stays selected. If it is gone, the one in its row is.
  private mutating func show(_ snapshot: Snapshot) {
    let selected = selectedAccount ?? snapshot.current
    self.snapshot = snapshot
    if search != nil { return searchAgain(selecting: selected) }
    let row = selected.flatMap { list.index(of: $0.identity) }
    place = row ?? max(0, min(place, accounts.count - 1))
  }

  // MARK: Orders

  /// Starts an order, unless another one is running.
  mutating func start(_ order: UIOrder) -> [UIEffect] {
    guard job == nil, leaving == nil else { return [] }
    lastJob += 1
    job = Job(number: lastJob, order: order)
    if case .signIn = order { page = .waiting } else { page = .accounts }
    return [.start(lastJob, order)]
  }

  mutating func cancelJob() -> [UIEffect] {
    // A sign-out always finishes: half a sign-out would be worse than none.
    if case .signOut = job?.order { return [] }
    guard job != nil, job?.isCancelled == false else { return [] }
    job?.isCancelled = true
    return [.cancel]
  }

  /// Leaves, after the running order has ended: an interrupted refresh may lose the account's refresh
  /// token.
  mutating func leave(_ status: ExitStatus) -> [UIEffect] {
    guard job != nil, leaving == nil else { return [.leave(status)] }
    leaving = status
    return cancelJob()
  }

  private mutating func progress(_ event: SignInEvent) {
    switch event {
    case .contacting(let host): job?.progress = .contacting(PlainText.escaped(host))
    case .waitingForBrowser(let address, let isOpened):
      job?.progress = .browser(address: address.description, isOpened: isOpened)
      if !isOpened { note("sign in", "no browser could be started") }
    case .waitingForDevice(let code):
      job?.progress = .device(
        code: PlainText.escaped(code.userCode), address: PlainText.escaped(code.verificationURI),
        ends: now.advanced(by: code.expiresIn))
    case .redirectReceived: job?.progress = .redirected
    case .waitingForOtherProcess: job?.progress = .otherProcess
    case .requestRefused(let reason):
      guard reason == StrayRequest.otherUser.rawValue, job?.isWarned == false else { return }
      job?.isWarned = true
      note("sign in", "refused another user's request; if it was your browser, use a code")
    case .retryingToStore, .finished: break
    }
  }

  private mutating func finish(_ job: Job, _ outcome: UIOutcome) -> [UIEffect] {
    self.job = nil
    if page == .waiting { page = .accounts }
    switch outcome {
    case .done(let result, let text):
      if case .signIn = job.order { missing = nil }
      if job.order.hasForm { kept = nil }
      note(job.order.title, result)
      if let text { page = .text(text) }
    case .failed(let failure): fail(job.order, failure)
    case .scopesNeeded(let stored): page = .menu(Self.menu(scopes: stored, job.order))
    case .clientNeeded(let stored): page = .menu(Self.menu(clients: stored, job.order))
    case .replaces(let what): page = .confirm(confirmation(replacing: what, job.order))
    }
    if let leaving { return [.leave(leaving)] }
    let effects = load()
    // A reading that is running may show the time before or after the order; the next one shows the
    // time after.
    reload.quiet = reload.last + (reload.isStale ? 1 : 0)
    return effects
  }

  /// A failed form comes back with what was typed. After a cancellation it waits for its key.
  private mutating func fail(_ order: UIOrder, _ failure: UIFailure) {
    if failure.needsSignIn { remember(order) }
    note(order.title, failure.message)
    guard !failure.isCancellation else { return }
    guard order.hasForm, var form = kept else {
      page = .text(Self.text(failure, of: order.title))
      return
    }
    form.complaint =
      failure.message + (failure.next.map { "\nOn the command line: \($0)" } ?? "")
    page = .form(form)
  }

  private func confirmation(replacing what: String, _ order: UIOrder) -> Confirmation {
    guard case .add(var secret) = order else { return Confirmation(question: what, order: order) }
    secret.replaces = true
    return Confirmation(
      question: "Replace the stored secret for \(what)?", order: .add(secret), form: kept)
  }

  private mutating func remember(_ order: UIOrder) {
    switch order {
    case .token(let order), .call(_, let order):
      missing = order.scopes.isEmpty ? nil : (order.account, order.scopes)
    case .signIn, .signOut, .switchTo, .add: break
    }
  }

  private static func text(_ failure: UIFailure, of title: String) -> TextPage {
    var lines = failure.message.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    if failure.needsSignIn {
      lines += ["", "Press r in the list of accounts to sign in again."]
    } else if let next = failure.next {
      lines += ["", "On the command line: \(next)"]
    }
    return TextPage("\(title) failed", lines)
  }
}
