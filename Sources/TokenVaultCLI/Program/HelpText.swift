/// The help of a command, or another text that ends a command before it runs.
enum HelpText {
  /// The help with the options of the command before the global ones: a reader looks for the former.
  static func ordered(_ text: String) -> String {
    var parts = text.split(separator: "\n\n").map(String.init)
    guard let global = parts.firstIndex(where: { $0.hasPrefix("GLOBAL OPTIONS:\n") }),
      let own = parts.firstIndex(where: { $0.hasPrefix("OPTIONS:\n") })
    else { return text }
    let end =
      parts[own...].firstIndex { $0.hasPrefix("SUBCOMMANDS:\n") || $0.hasPrefix("  See '") }
      ?? parts.count
    // The last part ends with a line feed.
    parts = parts.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
    let section = parts[global]
    parts.insert(section, at: end)
    parts.remove(at: global < end ? global : global + 1)
    return parts.joined(separator: "\n\n")
  }
}
