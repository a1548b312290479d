import Glibc
import TokenVault
import TokenVaultSystem

/// `token --clip`: a token is on the clipboard for some time, and gone when the command ends.
struct ClipboardShowing {
  private let clipboard: Clipboard
  private let seconds: Int64

  /// Nil without `--clip`. A clipboard that cannot be used is reported before a token is requested.
  init?(_ isWanted: Bool, _ clearAfter: String?, _ invocation: Invocation) throws {
    guard isWanted else { return nil }
    let duration = clearAfter.map { Duration($0) } ?? Duration("45s")
    guard let duration, duration.seconds > 0 else {
      throw CommandError.badDuration(clearAfter ?? "")
    }
    seconds = duration.seconds
    clipboard = try Clipboard(
      Invocation.wholeEnvironment(), hasProgram: Invocation.hasProgram)
  }

  /// Puts the token on the clipboard, and returns when it is no longer there.
  func show(_ token: TokenResult, in invocation: Invocation) throws {
    let interruption = Interruption.handled()
    // If this process is stopped, the text is gone a second after its time.
    let held = try clipboard.hold(token.accessToken.reveal(), seconds: seconds + 1)
    let noun = token.account.authorityType == .secret ? "secret" : "token"
    invocation.tell(
      "The \(noun) of \(PlainText.escaped(token.account.shownName)) is on the clipboard for "
        + "\(Duration("\(seconds)")?.text ?? ""). Ctrl-C clears it now.")
    let deadline = Deadline(milliseconds: Int(seconds) * 1_000)
    var isHeldByOther = false
    while !deadline.hasPassed, !interruption.isCancelled {
      // A signal that arrives before the wait is noticed after it.
      let patience = Int32(clamping: min(deadline.millisecondsLeft, 200))
      if isHeldByOther {
        usleep(UInt32(patience) * 1_000)
      } else if held.hasEnded(waiting: patience) {
        if try isReplaced(held) {
          if held.isOver { break }
          held.release()
          return invocation.tell("Another text is on the clipboard now.")
        }
        // A clipboard manager has taken it over.
        isHeldByOther = true
      }
    }
    try held.clear()
    invocation.tell("Cleared the clipboard.")
    if interruption.isCancelled { throw Failure.printed(.interrupted) }
  }

  /// If the clipboard cannot be read, it is emptied before the error is reported.
  private func isReplaced(_ held: Clipboard.Held) throws -> Bool {
    do { return try held.isReplaced() } catch {
      try held.clear()
      throw error
    }
  }
}
