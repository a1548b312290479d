import ArgumentParser

/// Options of commands that print a table.
struct TableOptions: ParsableArguments {
  @Flag(help: "Print the table without its first line, the headings.")
  var noHeader = false

  /// The lines of a table whose first line has the headings.
  func shown(_ table: [UInt8]) -> [UInt8] {
    guard noHeader, let end = table.firstIndex(of: UInt8(ascii: "\n")) else { return table }
    return Array(table[(end + 1)...])
  }
}
