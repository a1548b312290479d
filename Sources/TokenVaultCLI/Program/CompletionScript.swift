/// The completion script of ArgumentParser, which does not know the aliases of commands.
enum CompletionScript {
  private static let aliases = ["login": "sign-in", "ls": "list", "logout": "sign-out"]

  /// The script with the aliases. Each shell's script gets one statement, which replaces an alias by
  /// its command before the script looks at it.
  static func withAliases(_ script: String) -> String {
    var script = script
    insert(
      "    case \"${subcommand}\" in\(cases("subcommand=%"))\n    esac\n", into: &script,
      after: "    local subcommand=\"${unparsed_words[0]}\"\n",
      inPlaceOf: "    local -r subcommand=\"${unparsed_words[0]}\"\n")
    insert(
      "        case \"${words[1]}\" in\(cases("words[1]=%"))\n        esac\n", into: &script,
      after: "    arg)\n", inPlaceOf: "    arg)\n")
    let fish = aliases.sorted(by: <).map {
      "\n        case \($0)\n            set unparsed_tokens[1] \($1)"
    }
    let anchor = "        switch $unparsed_tokens[1]\n        case 'sign-in'\n"
    insert(
      "", into: &script,
      after: "        switch $unparsed_tokens[1]\(fish.joined())\n        end\n" + anchor,
      inPlaceOf: anchor)
    return script
  }

  private static func cases(_ assignment: String) -> String {
    aliases.sorted(by: <).map { alias, command in
      "\n    \(alias)) \(assignment.replacing("%", with: command)) ;;"
    }.joined()
  }

  /// Replaces the first occurrence of a line, if there is one, and adds a statement behind it.
  private static func insert(
    _ statement: String, into script: inout String, after line: String, inPlaceOf former: String
  ) {
    guard let range = script.firstRange(of: former) else { return }
    script.replaceSubrange(range, with: line + statement)
  }
}
