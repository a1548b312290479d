import Foundation
import Glibc

/// A real terminal of a given size, in which a command runs: what it draws can be looked at, keys
/// can be pressed. A tmux server of its own, which ends with the last reference.
public final class TmuxTerminal {
  private let socket: String
  private let environment: [String: String]

  /// It did not show what was waited for; the screen at the deadline.
  public struct NeverShown: Error {
    /// What was waited for.
    public let text: String
    /// What was there instead.
    public let screen: String
  }

  /// Starts a shell command. The terminal stays when it ends, with its last screen.
  public init(
    _ command: String, in home: ShellHome, columns: Int = 80, rows: Int = 24
  ) throws {
    socket = home.directory.appending(path: "tmux-\(UUID().uuidString.prefix(6))").path
    environment = home.environment.merging(["TERM": "xterm", "TMUX_TMPDIR": "/tmp"]) { $1 }
    let script = "cd '\(home.directory.path)'; \(command); echo \"ended with $?\"; exec sleep 600"
    _ = try tmux([
      "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "sh", "-c",
      script,
    ])
  }

  deinit {
    // The hang-up that tmux sends is ignored where the tests run without a terminal.
    do {
      if let shell = Int32(try paneShell()) { kill(-shell, SIGKILL) }
      _ = try tmux(["kill-server"])
    } catch {
      // The server ends by itself with its last pane.
    }
  }

  /// Presses keys, named as tmux names them.
  public func press(_ keys: String...) throws { _ = try tmux(["send-keys"] + keys) }

  /// Types text as it is.
  public func type(_ text: String) throws { _ = try tmux(["send-keys", "-l", text]) }

  /// Gives the window another size.
  public func resize(columns: Int, rows: Int) throws {
    _ = try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// What is on the screen.
  public func screen() throws -> String { try tmux(["capture-pane", "-p"]) }

  /// What is on the screen, with the escape sequences that make its styles.
  public func styledScreen() throws -> String { try tmux(["capture-pane", "-p", "-e"]) }

  /// Whether the terminal shows its cursor.
  public func cursorIsShown() throws -> Bool {
    try tmux(["display-message", "-p", "#{cursor_flag}"]).hasPrefix("1")
  }

  /// Takes the window away from what runs in it.
  public func closeWindow() throws { _ = try tmux(["kill-window"]) }

  /// The process that runs in the terminal's foreground, by the name of its executable.
  public func process(named name: String) throws -> Int32? {
    let shell = try paneShell()
    let children = try String(
      contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
    return children.split(separator: " ").compactMap { Int32($0) }.first { child in
      let text = FileManager.default.contents(atPath: "/proc/\(child)/comm")
      return text.map { String(decoding: $0, as: UTF8.self) } == name + "\n"
    }
  }

  private func paneShell() throws -> String {
    try tmux(["display-message", "-p", "#{pane_pid}"])
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Waits until the screen shows a text.
  @discardableResult
  public func wait(for text: String) throws -> String {
    let end = ContinuousClock.now + .seconds(20)
    while true {
      let screen = try screen()
      if screen.contains(text) { return screen }
      if ContinuousClock.now > end { throw NeverShown(text: text, screen: screen) }
      sched_yield()
    }
  }

  private func tmux(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // The server that the first call leaves behind must not keep what Foundation waits on.
    let closing = """
      for f in /proc/self/fd/*; do n=${f##*/}; if ((n > 2)); then eval "exec $n>&-"; fi; done
      exec tmux "$@"
      """
    process.arguments = ["bash", "-c", closing, "tmux", "-S", socket] + arguments
    process.environment = environment
    let scratch = URL(filePath: socket).appendingPathExtension("out")
    try Data().write(to: scratch)
    let output = try FileHandle(forWritingTo: scratch)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try output.close()
    guard process.terminationStatus == 0 else {
      throw PrivateSecretService.Failure.commandFailed(
        ["tmux"] + arguments, status: process.terminationStatus)
    }
    return String(decoding: try Data(contentsOf: scratch), as: UTF8.self)
  }
}
