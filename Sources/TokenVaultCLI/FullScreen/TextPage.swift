import TokenVault
import TokenVaultModel

/// A page of text; long lines are wrapped.
struct TextPage: Hashable, Sendable {
  let title: String
  let lines: [String]
  var offset = 0

  /// Characters that a terminal would interpret are escaped.
  init(_ title: String, _ lines: [String]) {
    self.title = PlainText.escaped(title)
    self.lines = lines.map { PlainText.escaped($0.replacing("\t", with: "  ")) }
  }

  func wrapped(_ columns: Int) -> [String] {
    lines.flatMap { PlainText.wrapped($0, to: columns) }
  }
}
