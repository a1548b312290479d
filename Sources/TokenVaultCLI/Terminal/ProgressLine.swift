import Glibc
import TokenVaultSystem

/// One line on a terminal that shows how far a long piece of work is. It is drawn over itself, and
/// disappears when the work ends or fails.
///
/// Nothing is drawn for few steps, or in the first half second: a line that flashes helps no one.
final class ProgressLine {
  /// Where the line is drawn. Times are microseconds.
  struct Screen {
    var columns: () -> Int? = { SystemCalls.windowSize(STDERR_FILENO)?.columns }
    var time: () -> Int64 = { Deadline.microseconds }
    var draw: (String) -> Void = Invocation.draw
  }

  private static let fewest = 100
  private static let patience: Int64 = 500_000
  private static let interval: Int64 = 100_000

  private let label: String
  private let screen: Screen
  private var due: Int64
  private var isShown = false

  /// - Parameter label: What is being done, as in "Importing accounts".
  init(_ label: String, on screen: Screen = Screen()) {
    self.label = label
    self.screen = screen
    due = screen.time() + Self.patience
  }

  deinit { clear() }

  /// Shows that so many steps of all are done.
  func step(_ done: Int, of all: Int) {
    guard all >= Self.fewest else { return }
    guard done < all else { return clear() }
    let time = screen.time()
    guard time >= due else { return }
    due = time + Self.interval
    let text = PlainText.cut("\(label): \(done) of \(all)", to: (screen.columns() ?? 80) - 1)
    screen.draw("\r\(text)\u{1b}[K")
    isShown = true
  }

  private func clear() {
    if isShown { screen.draw("\r\u{1b}[K") }
    isShown = false
  }
}

extension Invocation {
  /// A function that shows the progress of work on standard error, if that is a terminal that the
  /// user watches.
  func progress(_ label: String) -> (_ done: Int, _ all: Int) -> Void {
    guard isatty(STDERR_FILENO) == 1, !options.isQuiet, !options.isJSON, options.mayAsk,
      environment["TERM"] != "dumb"
    else { return { _, _ in } }
    let line = ProgressLine(label)
    return { line.step($0, of: $1) }
  }

  /// Whether a result of so many lines is shown as a summary. A pipe and a file get every line.
  func shortens(_ lines: Int) -> Bool {
    answersToTerminal && !options.isVerbose && lines > 20
  }
}
