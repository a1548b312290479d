import TokenVault
import TokenVaultModel

/// A page of text; long lines are wrapped.
struct TextPage: Hashable, Sendable {
  let title: String
  let lines: [String]
  var offset = 0
  /// The lines for a window of ``columns``.
  private(set) var wrapped: [String] = []
  private(set) var columns = 0

  /// Characters that a terminal would interpret are escaped.
  init(_ title: String, _ lines: [String]) {
    self.title = PlainText.escaped(title)
    self.lines = lines.map { PlainText.escaped($0.replacing("\t", with: "  ")) }
  }

  /// Wraps the lines once for each width: a page may have a line for each of many accounts.
  mutating func wrap(to columns: Int) {
    guard columns != self.columns else { return }
    self.columns = columns
    wrapped = lines.flatMap { PlainText.wrapped($0, to: columns) }
  }
}
