import TokenVaultModel

/// The reason why a helper cannot read its arguments or variables.
enum HelperUsageError: Error, Equatable {
  case unknownOption(String)
  case missingValue(String)
  case repeated(String)
  case badValue(String)
  /// The words are not those of the protocol.
  case words(String)

  /// The text for the user.
  var message: String {
    switch self {
    case .unknownOption(let option):
      // A configuration may be anybody's: its text must not reach the terminal as it is.
      option.hasControlCharacters
        ? "This helper does not have one of the options." : "This helper has no option \(option)."
    case .missingValue(let option): "The option \(option) needs a value."
    case .repeated(let option): "The option \(option) may be given once."
    case .badValue(let option): "The value of \(option) is empty or has a control character."
    case .words(let text): text
    }
  }
}
