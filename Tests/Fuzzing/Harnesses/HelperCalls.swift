import TokenVaultCredentialHelpers
import TokenVaultModel

/// Calls of credential helpers. An input is the number of a protocol in one byte, the arguments,
/// the value of each variable and standard input, with a unit separator between them; the
/// arguments have record separators between them.
enum HelperCalls {
  static func read(_ bytes: [UInt8]) {
    guard let number = bytes.first else { return }
    let helper = HelperProtocol.all[Int(number) % HelperProtocol.all.count]
    let parts = bytes.dropFirst().split(
      separator: 0x1f, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return }
    let value = String(decoding: parts[1], as: UTF8.self)
    let arguments = parts[0].split(separator: 0x1e).map { String(decoding: $0, as: UTF8.self) }
    let call = HelperCall(
      arguments,
      environment: Dictionary(uniqueKeysWithValues: helper.variables.map { ($0, value) }),
      input: Array(parts[2]))
    check(helper.session(arguments)?.step(call.input) ?? helper.begin(call), call)
  }

  private static func check(_ step: HelperStep, _ call: HelperCall) {
    switch step {
    case .answered(let answer): check(answer)
    case .asks(let request, let answerTo):
      if let host = host(of: request) {
        precondition(!host.isEmpty && !host.contains { "/?#@\\ \n".contains($0) })
        precondition(host == "keyring.invalid" || names(call, host), "a host that is not named")
      }
      // The input is a secret that an attacker has chosen.
      let found = FoundCredential(username: "ada", secret: call.input)
      for outcome in [CredentialOutcome.found(found), .notFound, .done, .listed([])] {
        check(answerTo(outcome))
      }
    }
  }

  private static func check(_ answer: HelperAnswer) {
    precondition(!answer.output.reveal().contains(0))
    precondition(!answer.message.utf8.contains(0))
  }

  private static func host(of request: CredentialRequest) -> String? {
    switch request {
    case .find(let query), .erase(let query, _): query.address.host
    case .store(let new): new.place.address.host
    case .list, .token: nil
    }
  }

  private static func names(_ call: HelperCall, _ host: String) -> Bool {
    let texts = (call.arguments + call.environment.values).map { Array($0.utf8) } + [call.input]
    return texts.contains { text in
      String(decoding: text, as: UTF8.self).lowercased().contains(host)
        || strings(in: text).contains { $0.lowercased().contains(host) }
    }
  }

  private static func strings(in text: [UInt8]) -> [String] {
    do { return strings(try JSONValue(parsing: text)) } catch { return [] }
  }

  private static func strings(_ value: JSONValue) -> [String] {
    switch value {
    case .string(let text): [text]
    case .array(let elements): elements.flatMap(strings)
    case .object(let members): members.flatMap { strings($0.value) }
    case .null, .bool, .number: []
    }
  }
}
