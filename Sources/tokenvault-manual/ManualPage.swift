/// The parts of a manual page that follow from the commands.
struct ManualPage {
  private let root: CommandInfo

  init(_ root: CommandInfo) { self.root = root }

  /// The page: the template, with the commands and the global options in the places of two comments.
  func text(_ template: String) -> String {
    template.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      switch line {
      case ".\\\" COMMANDS": root.children.flatMap { section($0, of: []) }
      case ".\\\" GLOBAL OPTIONS": options(root.shown.filter { $0.isGlobal || $0.isHelp })
      default: [String(line)]
      }
    }.joined(separator: "\n")
  }

  private func section(_ command: CommandInfo, of parents: [String]) -> [String] {
    let path = parents + [command.commandName]
    let own = command.shown.filter { !$0.isGlobal && !$0.isHelp }
    var lines = [".Ss " + path.joined(separator: " ")]
    lines += synopsis(path, command, own)
    lines.append(".Pp")
    lines += Mdoc.lines(command.abstract ?? "")
    if let aliases = command.aliases, !aliases.isEmpty {
      lines += [".Pp", "Alias:"] + aliases.map { ".Cm \($0)" }
    }
    for part in (command.discussion ?? "").split(separator: "\n\n") {
      let rows = part.split(separator: "\n")
      if rows.first == "EXAMPLES" {
        let indented = rows.dropFirst().map { $0.hasPrefix("  ") ? $0.dropFirst(2) : $0 }
        lines += [".Pp", rows.count > 2 ? "Examples:" : "Example:"] + Mdoc.display(indented)
      } else {
        lines += [".Pp"] + Mdoc.lines(String(part))
      }
    }
    let noun = own.contains(where: \.isPositional) ? "arguments" : "options"
    if !own.isEmpty { lines += [".Pp", "The \(noun) are as follows:"] + options(own) }
    return lines + command.children.flatMap { section($0, of: path) }
  }

  private func synopsis(
    _ path: [String], _ command: CommandInfo, _ own: [CommandInfo.Argument]
  ) -> [String] {
    var lines = [".Nm tokenvault Cm " + path.joined(separator: " ")]
    for argument in own where argument.isPositional {
      let name = "Ar " + Mdoc.word(argument.valueName ?? "value")
      lines.append(
        (argument.isOptional ? ".Op " : ".") + name + (argument.isRepeating ? " ..." : ""))
    }
    if !command.children.isEmpty { lines.append(".Ar command") }
    if own.contains(where: { !$0.isPositional }) { lines.append(".Op Ar options") }
    return lines
  }

  private func options(_ arguments: [CommandInfo.Argument]) -> [String] {
    [".Bl -tag -width Ds"]
      + arguments.flatMap { argument in
        var lines = [item(argument)]
        var text = argument.abstract ?? ""
        if let value = argument.defaultValue { text += " Default: \(value)." }
        lines += Mdoc.lines(text)
        if let discussion = argument.discussion { lines += Mdoc.lines(discussion) }
        return lines
      } + [".El"]
  }

  /// The short name comes first, as in other manual pages.
  private func item(_ argument: CommandInfo.Argument) -> String {
    let value = "Ar " + Mdoc.word(argument.valueName ?? "value")
    if argument.isPositional { return ".It " + value }
    let names = (argument.names ?? []).sorted { $0.kind == "short" && $1.kind != "short" }
      .map { name in name.kind == "short" ? "Fl \(name.name)" : "Fl Fl \(name.name)" }
    return ".It " + names.joined(separator: " , ") + (argument.kind == "option" ? " \(value)" : "")
  }
}
