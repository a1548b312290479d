import TokenVaultModel

/// The arguments of a call, split into words and the values of options.
struct HelperArguments {
  /// The arguments that belong to no option, in their order.
  private(set) var words: [String] = []
  private var values: [String: [String]] = [:]

  /// Reads `--name value`, `--name=value`, `-n value` and `-nvalue`. An argument `--` ends the
  /// options.
  /// - Parameters:
  ///   - options: The options with a value: each spelling, and the name that it stands for.
  ///   - flags: The options without a value.
  init(
    _ arguments: [String], options: [String: String] = [:], flags: Set<String> = []
  ) throws(HelperUsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        words.append(argument)
        continue
      }
      if flags.contains(argument) { continue }
      let (spelling, attached) = Self.split(argument)
      guard let name = options[spelling] else { throw .unknownOption(spelling) }
      guard let value = attached ?? rest.popFirst(),
        attached != nil || !value.hasPrefix("-") || value == "-"
      else { throw .missingValue(spelling) }
      values[name, default: []].append(value)
    }
  }

  private static func split(_ argument: String) -> (spelling: String, value: String?) {
    guard argument.hasPrefix("--") else {
      let value = argument.dropFirst(2)
      return (
        String(argument.prefix(2)),
        value.isEmpty ? nil : String(value.hasPrefix("=") ? value.dropFirst() : value)
      )
    }
    guard let equals = argument.firstIndex(of: "=") else { return (argument, nil) }
    return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
  }

  /// Every value of an option.
  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// The last value of an option, as most programs take it.
  func last(_ name: String) -> String? { values[name]?.last }

  /// The value of an option that may stand there once, and is not empty.
  func single(_ name: String) throws(HelperUsageError) -> String? {
    guard let values = values[name] else { return nil }
    guard values.count == 1 else { throw .repeated("--" + name) }
    guard !values[0].isEmpty, !values[0].hasControlCharacters else {
      throw .badValue("--" + name)
    }
    return values[0]
  }
}
