import Glibc
import TokenVaultSystem

/// The clipboard of the desktop, through the program that its users have for it.
///
/// On X11 and Wayland a clipboard is a process that answers the program that pastes. A small shell in
/// a session of its own holds that process, and ends it when this program ends, however that happens.
struct Clipboard {
  /// A program that holds the clipboard.
  enum Holder: Equatable {
    /// - Parameter isSensitive: Whether it can ask clipboard managers not to keep the text.
    case wlCopy(isSensitive: Bool)
    case xclip
    case xsel
  }

  let holder: Holder
  private let environment: [String: String]

  /// The clipboard of the session.
  /// - Throws: A ``Failure`` if there is no session, or no program for its clipboard.
  init(_ environment: [String: String], hasProgram: (String) -> Bool) throws {
    self.environment = environment
    let isWayland = environment["WAYLAND_DISPLAY"]?.isEmpty == false
    let isX11 = environment["DISPLAY"]?.isEmpty == false
    guard isWayland || isX11 else { throw Failure.noDesktop }
    if isWayland, hasProgram("wl-copy"), hasProgram("wl-paste") {
      let help = try ChildProgram.run(["wl-copy", "--help"], environment: environment)
      let text = String(decoding: help?.output ?? [], as: UTF8.self)
      holder = .wlCopy(isSensitive: text.contains("--sensitive"))
    } else if isX11, hasProgram("xclip") {
      holder = .xclip
    } else if isX11, hasProgram("xsel") {
      holder = .xsel
    } else {
      throw Failure.noClipboardProgram(isWayland ? "wl-clipboard" : "xclip")
    }
  }

  /// Puts a text on the clipboard.
  /// - Parameter seconds: The time after which it is taken off, even if this process is stopped.
  /// - Throws: A ``Failure`` if the clipboard does not have it afterwards.
  func hold(_ text: [UInt8], seconds: Int64) throws -> Held {
    let held = try Held(self, text, seconds)
    let deadline = Deadline(milliseconds: 10_000)
    while try compare(text) != .same {
      guard !held.hasEnded(waiting: 20), !deadline.hasPassed else {
        // A clipboard manager may have it already.
        try held.clear()
        throw Failure.clipboardFailed(words.hold[0])
      }
    }
    try held.begin(seconds)
    return held
  }

  /// The clipboard, compared with a text.
  enum Comparison {
    case same
    /// It is empty or has another text.
    case other
    /// The program that holds it does not answer.
    case unanswered
  }

  /// A program that holds the clipboard and does not answer must not keep the caller waiting.
  fileprivate func compare(_ text: [UInt8]) throws -> Comparison {
    let words = ["timeout", "2"] + words.read
    do throws(SystemCallError) {
      let result = try ChildProgram.run(words, environment: environment)
      // timeout(1) exits with 124 when it has ended the program.
      if result?.status == 124 { return .unanswered }
      return result?.status == 0 && result?.output == text ? .same : .other
    } catch {
      // It is longer than any text of this program.
      guard error.errno == EFBIG else { throw error }
      return .other
    }
  }

  /// Empties the clipboard, whoever holds it.
  fileprivate func clear() throws {
    let result = try ChildProgram.run(["timeout", "5"] + words.clear, environment: environment)
    guard result?.status == 0 else { throw Failure.clipboardNotCleared(words.clear[0]) }
  }

  /// The commands that hold, read and empty the clipboard.
  private var words: (hold: [String], read: [String], clear: [String]) {
    switch holder {
    case .wlCopy(let isSensitive):
      // With a type, it does not look into the text to guess one.
      (
        ["wl-copy", "--foreground", "--type", "text/plain"] + (isSensitive ? ["--sensitive"] : []),
        ["wl-paste", "--no-newline"], ["wl-copy", "--clear"]
      )
    case .xclip:
      (
        ["xclip", "-quiet", "-selection", "clipboard"],
        ["xclip", "-out", "-selection", "clipboard"],
        ["xclip", "-in", "-selection", "clipboard", "/dev/null"]
      )
    case .xsel:
      (
        ["xsel", "--clipboard", "--input", "--nodetach"], ["xsel", "--clipboard", "--output"],
        ["xsel", "--clipboard", "--clear"]
      )
    }
  }
}

extension Clipboard {
  /// A text that is on the clipboard, and the processes that hold it there.
  final class Held {
    private let clipboard: Clipboard
    private let text: [UInt8]
    private let shell: Int32
    /// Readable at its end, when the processes have ended.
    private let ended: Int32
    /// The processes end when it is closed, also by the end of this process.
    private var lifeline: Int32?

    /// The other end of the lifeline, so that writing to it never raises SIGPIPE.
    private let reader: Int32
    /// When the processes end although the lifeline is open.
    private var end: Deadline?

    /// Standard error is the lifeline, standard input the text, and the first argument a number of
    /// seconds, counted from a line in the lifeline: then the processes end even if the lifeline is
    /// open, because this process may have been stopped. `wl-copy` keeps the text in a file of its
    /// own, which it removes when another program takes the clipboard, but not when it is killed.
    private static let script = """
      exec 3<&2 4<&0 </dev/null 2>/dev/null
      seconds=$1
      shift
      "$@" <&4 3<&- 4<&- &
      holder=$!
      exec 4<&-
      {
        timeout 15 sh -c 'read -r _' <&3 && timeout $seconds sh -c 'read -r _' <&3
        kill -0 $holder || exit
        if [ "$1" = wl-copy ]; then timeout 2 wl-copy --clear || kill $holder; else kill $holder; fi
      } >/dev/null &
      watch=$!
      exec 3<&-
      wait $holder
      kill $watch
      """

    fileprivate init(_ clipboard: Clipboard, _ text: [UInt8], _ seconds: Int64) throws {
      self.clipboard = clipboard
      self.text = text
      let input = try Pipe()
      // The text fits into the pipe before anybody reads it.
      guard text.count <= 1 << 16 || fcntl(input.writing, Pipe.setSize, Int32(text.count)) >= 0
      else {
        input.close()
        throw Failure.clipboardFailed("pipe")
      }
      let (life, end) = (try Pipe(), try Pipe())
      try SystemCalls.writeAll(text, to: input.writing)
      let child = ChildProgram.start(
        ["sh", "-c", Self.script, "sh", "\(seconds)"] + clipboard.words.hold,
        environment: clipboard.environment, streams: [input.reading, end.writing, life.reading],
        ownsSession: true)
      input.close()
      Glibc.close(end.writing)
      (ended, lifeline, reader) = (end.reading, life.writing, life.reading)
      guard let child else {
        Glibc.close(life.reading)
        Glibc.close(life.writing)
        Glibc.close(end.reading)
        throw Failure.clipboardFailed("sh")
      }
      shell = child
    }

    deinit {
      release()
      Glibc.close(ended)
      Glibc.close(reader)
    }

    /// Begins the time after which the processes end.
    fileprivate func begin(_ seconds: Int64) throws {
      end = Deadline(milliseconds: Int(seconds) * 1_000)
      if let lifeline { try SystemCalls.writeAll([UInt8(ascii: "\n")], to: lifeline) }
    }

    /// Whether the processes may have ended because of their time.
    var isOver: Bool { end?.hasPassed ?? false }

    /// Waits until nothing holds the text any more, because another program has taken the clipboard.
    /// - Returns: Whether this happened in time; false also after a signal.
    func hasEnded(waiting milliseconds: Int32) -> Bool {
      var entry = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
      return unsafe poll(&entry, 1, milliseconds) > 0
    }

    /// Whether the clipboard has another text, or none. A clipboard manager may have taken this one
    /// over.
    func isReplaced() throws -> Bool { try clipboard.compare(text) == .other }

    /// Ends the processes that hold the text.
    func release() {
      guard let lifeline else { return }
      Glibc.close(lifeline)
      self.lifeline = nil
      var status: Int32 = 0
      while unsafe waitpid(shell, &status, 0) == -1, errno == EINTR { continue }
    }

    /// Takes the text off the clipboard, wherever it is held by now. A text that cannot be read may
    /// be this one.
    /// - Throws: A ``Failure`` if it cannot be read, after the clipboard was emptied.
    func clear() throws {
      release()
      let comparison: Comparison
      do { comparison = try clipboard.compare(text) } catch {
        try clipboard.clear()
        throw error
      }
      guard comparison != .other else { return }
      try clipboard.clear()
      if comparison == .unanswered { throw Failure.clipboardUnanswered }
    }
  }
}

/// The two ends of a pipe, which only the processes get that they are passed to.
private struct Pipe {
  let reading: Int32
  let writing: Int32

  /// F_SETPIPE_SZ of fcntl(2).
  static let setSize: Int32 = 1031

  init() throws(CommandError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw .fileNotMade(path: "pipe", errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  func close() {
    Glibc.close(reading)
    Glibc.close(writing)
  }
}
