import Glibc
import Synchronization
import TokenVaultSystem

/// The controlling terminal with an alternate screen, which every way out restores.
final class FullScreen {
  let descriptor: Int32
  private let isStyled: Bool
  private var saved = termios()
  private var handlers: [(signal: Int32, action: sigaction)] = []
  private var shown: [UIScreen.Line] = []
  private var isEntered = false

  /// Nil if the process has no controlling terminal.
  init?(isStyled: Bool) {
    // absent is an answer: the caller reports that a terminal is needed.
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

  /// Takes the screen. From now on keys arrive one by one, and ``UISignals`` records signals.
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
    // Alternate screen, no cursor, no wrapping at the edge, and markers around pasted text.
    write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[?2004h\u{1b}[2J")
    shown = []
  }

  /// Restores the terminal and the signal handlers.
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

  /// Stops the process, as Ctrl-Z does, until it is continued.
  func suspend() {
    leave()
    // The whole foreground job, as the terminal does it: a script that runs this command stops too.
    kill(0, SIGTSTP)
    // The stop may reach another thread first. Without job control the kernel does not stop the
    // process.
    usleep(50_000)
    enter()
  }

  /// Makes the next draw repaint everything.
  func forget() { shown = [] }

  /// Draws the lines that have changed.
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
      // At the right edge this would erase the last character.
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

  /// The bytes typed; nil at end of file.
  func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
    }
    if count < 0, errno == EINTR || errno == EAGAIN { return [] }
    return count > 0 ? Array(bytes[..<count]) : nil
  }

  private func write(_ text: String) {
    bestEffort("reading reports a terminal that is gone") {
      try SystemCalls.writeAll(Array(text.utf8), to: descriptor)
    }
  }
}
