import Foundation
import Glibc

/// A command in a real terminal of a given size. A test can read the screen and press keys. Each
/// has its own tmux server, which ends when the last reference is released.
package final class TmuxTerminal {
  private let socket: String
  private let environment: [String: String]

  /// The screen did not show a text in time.
  package struct NeverShown: Error {
    /// The expected text.
    package let text: String
    /// The screen at the deadline.
    package let screen: String
  }

  /// Starts a shell command. When it ends, the terminal keeps its last screen.
  package init(
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
    // Programs ignore tmux's SIGHUP if the tests run without a terminal.
    do {
      if let shell = Int32(try paneShell()) { kill(-shell, SIGKILL) }
      _ = try tmux(["kill-server"])
    } catch {
      // The server ends with its last pane.
    }
  }

  /// Presses keys, given by their names in tmux.
  package func press(_ keys: String...) throws { _ = try tmux(["send-keys"] + keys) }

  /// Types a text literally.
  package func type(_ text: String) throws { _ = try tmux(["send-keys", "-l", text]) }

  /// Changes the size of the window.
  package func resize(columns: Int, rows: Int) throws {
    _ = try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// The text on the screen.
  package func screen() throws -> String { try tmux(["capture-pane", "-p"]) }

  /// The text on the screen with the escape sequences of its styles.
  package func styledScreen() throws -> String { try tmux(["capture-pane", "-p", "-e"]) }

  /// Whether the cursor is visible.
  package func cursorIsShown() throws -> Bool {
    try tmux(["display-message", "-p", "#{cursor_flag}"]).hasPrefix("1")
  }

  /// Closes the window while the command runs.
  package func closeWindow() throws { _ = try tmux(["kill-window"]) }

  /// The ID of a child process of the shell, by the name of its executable; nil if there is none.
  package func process(named name: String) throws -> Int32? {
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
  package func wait(for text: String) throws -> String {
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
    // The first call leaves a server behind. It must not inherit the descriptors that Foundation
    // waits for.
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
