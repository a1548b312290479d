import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

extension HelperProtocol {
  /// The command line of Python's keyring, which pip, uv, twine and poetry run.
  package static let keyring = HelperProtocol(
    name: "keyring", programs: ["tokenvault-keyring"], substitutes: ["keyring"],
    readsInput: KeyringHelper.isSet, begin: KeyringHelper.begin)
}

/// `get`, `set` and `del`, with a service and a user name.
private struct KeyringHelper {
  private let place: CredentialQuery
  private let wantsUsername: Bool
  private let wantsJSON: Bool

  /// keyring's own status for arguments that it cannot read.
  private static let usageStatus: Int32 = 2

  private static let options = ["--mode": "mode", "--output": "output"]

  /// Whether the password is on standard input.
  @Sendable static func isSet(_ arguments: [String]) -> Bool {
    do { return try HelperArguments(arguments, options: options).words.first == "set" } catch {
      return false
    }
  }

  static func begin(_ call: HelperCall) -> HelperStep {
    .reading(status: usageStatus) { () throws(HelperUsageError) in
      let arguments = try HelperArguments(call.arguments, options: options)
      guard let verb = arguments.words.first, ["get", "set", "del"].contains(verb) else {
        throw .words("This keyring has get, set and del only.")
      }
      guard let helper = try KeyringHelper(arguments, verb) else {
        return .answered(HelperAnswer(message: "The service is no address.", status: 1))
      }
      switch verb {
      case "get": return .asks(.find(helper.place), helper.get)
      case "set": return helper.set(call.input)
      default: return .asks(.erase(helper.place, secret: nil), helper.done)
      }
    }
  }

  /// Nil if no credential can be stored for the service.
  private init?(_ arguments: HelperArguments, _ verb: String) throws(HelperUsageError) {
    let mode = try Self.choice(arguments, "mode", of: ["password", "creds"])
    let output = try Self.choice(arguments, "output", of: ["plain", "json"])
    wantsUsername = mode == "creds"
    wantsJSON = output == "json"
    let words = arguments.words
    guard (2...3).contains(words.count) else { throw .words("\(verb) needs a service.") }
    let username = words.count == 3 ? words[2] : nil
    guard username != nil || (verb == "get" && wantsUsername) else {
      throw .words("\(verb) needs a service and a user name.")
    }
    guard let address = HTTPURL(service: words[1]),
      !(username ?? "").hasControlCharacters
    else { return nil }
    place = CredentialQuery(address, username: username.flatMap { $0.isEmpty ? nil : $0 })
  }

  private static func choice(
    _ arguments: HelperArguments, _ name: String, of values: [String]
  ) throws(HelperUsageError) -> String {
    let value = arguments.last(name) ?? values[0]
    guard values.contains(value) else {
      throw .words("The option --\(name) is \(values[0]) or \(values[1]).")
    }
    return value
  }

  @Sendable private func get(_ outcome: CredentialOutcome) -> HelperAnswer {
    switch outcome {
    // keyring itself says nothing, and pip and uv go on without a credential.
    case .notFound: return HelperAnswer(status: 1)
    case .found(let found):
      guard let password = wantsJSON ? found.text : found.line,
        wantsJSON || !found.username.hasControlCharacters
      else {
        return HelperAnswer(
          message: "The stored secret cannot be printed: it is not text, or has several lines.",
          status: 1)
      }
      guard wantsJSON else {
        return HelperAnswer((wantsUsername ? found.username + "\n" : "") + password + "\n")
      }
      return .json(
        (wantsUsername ? [("username", .string(found.username))] : [])
          + [("password", .string(password))])
    case .listed, .done, .failed: return .failure(outcome, at: place.address)
    }
  }

  /// The password is standard input, without one line feed at its end.
  private func set(_ input: [UInt8]) -> HelperStep {
    let password = input.last == 0x0a ? Array(input.dropLast()) : input
    guard !password.isEmpty else {
      return .answered(HelperAnswer(message: "Standard input has no password.", status: 1))
    }
    return .asks(.store(NewCredential(place, password)), done)
  }

  @Sendable private func done(_ outcome: CredentialOutcome) -> HelperAnswer {
    if case .done = outcome { return HelperAnswer() }
    return .failure(outcome, at: place.address)
  }
}
