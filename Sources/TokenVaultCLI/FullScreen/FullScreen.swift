import Glibc
import Synchronization
import TokenVaultSystem

/// The controlling terminal with a screen of its own, put back on every way out.
final class FullScreen {
  let descriptor: Int32
  private let isStyled: Bool
  private var saved = termios()
  private var handlers: [(signal: Int32, action: sigaction)] = []
  private var shown: [UIScreen.Line] = []
  private var isEntered = false

  /// Nil when the process has no controlling terminal.
  init?(isStyled: Bool) {
    // absent is an answer: the caller says that a terminal is needed.
    do { descriptor = try SystemCalls.open("/dev/tty", O_RDWR | O_NOCTTY) } catch { return nil }
    self.isStyled = isStyled
    guard unsafe tcgetattr(descriptor, &saved) == 0 else {
      close(descriptor)
      return nil
    }
  }

  deinit {
    leave()
    close(descriptor)
  }

  var size: (rows: Int, columns: Int) { SystemCalls.windowSize(descriptor) ?? (24, 80) }

  /// Takes the screen: keys come one by one, and signals as notes in ``UISignals``.
  func enter() {
    guard !isEntered else { return }
    isEntered = true
    for signal in UISignals.all {
      var (action, old) = (sigaction(), sigaction())
      unsafe action.__sigaction_handler.sa_handler = UISignals.note
      guard unsafe sigaction(signal, &action, &old) == 0 else { continue }
      handlers.append((signal, old))
    }
    var raw = saved
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
    raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
    unsafe tcsetattr(descriptor, TCSAFLUSH, &raw)
    // A screen of its own, no cursor, no wrapping at the edge, and pasted text marked as such.
    write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[?2004h\u{1b}[2J")
    shown = []
  }

  /// Puts everything back.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    write("\u{1b}[0m\u{1b}[?2004l\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
    unsafe tcsetattr(descriptor, TCSAFLUSH, &saved)
    for handler in handlers {
      var action = handler.action
      unsafe sigaction(handler.signal, &action, nil)
    }
    handlers = []
  }

  /// Stops the process as Ctrl-Z does, until it is continued.
  func suspend() {
    leave()
    // All of the foreground job, as the terminal itself would do: a script that runs this command
    // stops too.
    kill(0, SIGTSTP)
    // The stop may reach another thread first. Where nobody could continue the process (no job
    // control), the kernel lets it go on.
    usleep(50_000)
    enter()
  }

  /// Draws everything anew with the next screen.
  func forget() { shown = [] }

  /// Draws the lines that differ from what is there.
  func draw(_ screen: UIScreen) {
    let columns = size.columns
    var text = shown.count == screen.lines.count ? "" : "\u{1b}[0m\u{1b}[2J"
    for (row, line) in screen.lines.enumerated() {
      if shown.indices.contains(row), shown.count == screen.lines.count, shown[row] == line {
        continue
      }
      text += "\u{1b}[\(row + 1);1H"
      if isStyled, line.style != .plain {
        let missing = line.style == .reverse ? columns - PlainText.width(line.text) : 0
        text += line.style.rawValue + line.text
        text += String(repeating: " ", count: max(0, missing)) + "\u{1b}[0m"
      } else {
        text += line.text
      }
      // At the right edge it would erase the last character.
      if PlainText.width(line.text) < columns { text += "\u{1b}[K" }
    }
    shown = screen.lines
    if let cursor = screen.cursor {
      text += "\u{1b}[\(cursor.row + 1);\(cursor.column + 1)H\u{1b}[?25h"
      write("\u{1b}[?25l" + text)
    } else {
      write(text.isEmpty ? "" : "\u{1b}[?25l" + text)
    }
  }

  /// What was typed; nil at the terminal's end.
  func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
    }
    if count < 0, errno == EINTR || errno == EAGAIN { return [] }
    return count > 0 ? Array(bytes[..<count]) : nil
  }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes[written...].withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      // A terminal that is gone is found out by reading.
      if count <= 0 { return }
      written += count
    }
  }
}

/// Signals that came while the screen was taken. The handler is async-signal-safe: stores into what
/// was initialised before it was set, and a write to a pipe.
enum UISignals {
  static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  static let all = ending + [SIGWINCH, SIGTSTP, SIGCONT]

  private static let end = Atomic<Int32>(0)
  private static let stop = Atomic(false)
  private static let resumption = Atomic(false)
  private static let pipe = Atomic<Int32>(-1)

  /// Wakes this descriptor's reader with each signal.
  static func begin(waking descriptor: Int32) {
    end.store(0, ordering: .relaxed)
    stop.store(false, ordering: .relaxed)
    resumption.store(false, ordering: .relaxed)
    pipe.store(descriptor, ordering: .relaxed)
  }

  /// The signal that asks for the end; nil for none.
  static var arrived: Int32? {
    let signal = end.load(ordering: .relaxed)
    return signal == 0 ? nil : signal
  }
  static func takeStop() -> Bool { stop.exchange(false, ordering: .relaxed) }
  static func takeResumption() -> Bool { resumption.exchange(false, ordering: .relaxed) }

  static let note: @convention(c) (Int32) -> Void = { signal in
    let failure = errno
    switch signal {
    case SIGTSTP: UISignals.stop.store(true, ordering: .relaxed)
    case SIGCONT: UISignals.resumption.store(true, ordering: .relaxed)
    case SIGWINCH: break
    default: UISignals.end.store(signal, ordering: .relaxed)
    }
    var byte: UInt8 = 0
    _ = unsafe write(UISignals.pipe.load(ordering: .relaxed), &byte, 1)
    errno = failure
  }
}
