/// A key press on the full screen.
enum Key: Hashable, Sendable {
  case character(Unicode.Scalar)
  /// A character from the clipboard, a line feed for the end of a line: text for a field, never a
  /// command.
  case pasted(Unicode.Scalar)
  case up, down, left, right, home, end, pageUp, pageDown
  case enter, tab, backTab, escape, erase, delete, eraseLine
  /// Ctrl-C, Ctrl-Z, Ctrl-L.
  case interrupt, suspend, redraw
}
