import Glibc
import Synchronization
import TokenVaultSystem

/// The controlling terminal without echo and line editing, while a prompt is open.
///
/// The terminal is restored however the prompt ends: by an answer, an error, Ctrl-C, or a signal
/// from another process, which is delivered again after that.
final class RawTerminal {
  private let descriptor: Int32
  private var saved = termios()
  private var handlers: [(signal: Int32, action: sigaction)] = []
  private var pending: [UInt8] = []
  private var isRestored = false

  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Nil if the process has no controlling terminal.
  init?() {
    // absent is an answer: the caller goes on without a terminal.
    do { descriptor = try SystemCalls.open("/dev/tty", O_RDWR | O_NOCTTY) } catch { return nil }
    guard unsafe tcgetattr(descriptor, &saved) == 0 else {
      close(descriptor)
      return nil
    }
    ArrivedSignal.number.store(0, ordering: .relaxed)
    for signal in Self.signals {
      var (action, old) = (sigaction(), sigaction())
      unsafe action.__sigaction_handler.sa_handler = ArrivedSignal.note
      guard unsafe sigaction(signal, &action, &old) == 0 else { continue }
      handlers.append((signal, old))
    }
    var raw = saved
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
    raw.c_iflag &= ~tcflag_t(IXON)
    // TCSAFLUSH drops what was typed before the prompt: it was not meant as the answer.
    unsafe tcsetattr(descriptor, TCSAFLUSH, &raw)
  }

  deinit {
    restore()
    close(descriptor)
  }

  /// Restores the terminal, and delivers a signal that arrived in the meantime.
  func restore() {
    guard !isRestored else { return }
    isRestored = true
    unsafe tcsetattr(descriptor, TCSAFLUSH, &saved)
    for handler in handlers {
      var action = handler.action
      unsafe sigaction(handler.signal, &action, nil)
    }
    let arrived = ArrivedSignal.number.load(ordering: .relaxed)
    if arrived != 0 { kill(getpid(), arrived) }
  }

  func write(_ text: String) {
    bestEffort("the next key reports a terminal that is gone") {
      try SystemCalls.writeAll(Array(text.utf8), to: descriptor)
    }
  }

  var size: (rows: Int, columns: Int) { SystemCalls.windowSize(descriptor) ?? (24, 80) }

  /// A key press.
  enum Key: Equatable {
    case character(UInt8)
    case up, down, enter, erase, eraseLine, escape
    /// No key for 250 ms: the caller can check the size of the window.
    case none
  }

  /// Waits for a key. Ctrl-C, Ctrl-D, a signal and end of file throw ``CommandError/interrupted``.
  func key() throws(CommandError) -> Key {
    guard let byte = try byte(waiting: 250) else { return .none }
    switch byte {
    case 0x03, 0x04, 0x1c: throw .interrupted
    case 0x0a, 0x0d: return .enter
    case 0x08, 0x7f: return .erase
    case 0x15: return .eraseLine
    case 0x1b: return try escapeSequence()
    default: return .character(byte)
    }
  }

  /// An arrow key comes as three bytes at once, Esc as one.
  private func escapeSequence() throws(CommandError) -> Key {
    guard let bracket = try byte(waiting: 50) else { return .escape }
    guard bracket == UInt8(ascii: "[") || bracket == UInt8(ascii: "O") else { return .escape }
    switch try byte(waiting: 50) {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    default: return .none
    }
  }

  private func byte(waiting milliseconds: Int32) throws(CommandError) -> UInt8? {
    if !pending.isEmpty { return pending.removeFirst() }
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let ready = unsafe Glibc.poll(&poll, 1, milliseconds)
    guard ArrivedSignal.number.load(ordering: .relaxed) == 0 else { throw .interrupted }
    guard ready > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    guard count > 0 else { throw .interrupted }
    pending = Array(bytes[..<count])
    return pending.removeFirst()
  }
}

/// The signal that arrived while a prompt was open.
private enum ArrivedSignal {
  static let number = Atomic<Int32>(0)
  /// Async-signal-safe: one store, into memory that was initialised before the handler was set.
  static let note: @convention(c) (Int32) -> Void = { signal in
    ArrivedSignal.number.store(signal, ordering: .relaxed)
  }
}
