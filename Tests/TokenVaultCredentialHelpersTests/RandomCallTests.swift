import Testing
import TokenVaultModel

@testable import TokenVaultCredentialHelpers

/// Calls with random bytes, and the calls of the transcripts with random changes: no call crashes,
/// and the vault is asked for hosts that the call names, and for no other.
@Suite(.timeLimit(.minutes(5))) struct RandomCallTests {
  private static let pieces: [[UInt8]] =
    [
      "\n", "\r", "\u{0}", "=", "@", "\\", "/", "//", "://", ":", ":443", ".", "..", "%40", "%2e",
      "?", "#", "[", "]", "[::1]", "{", "}", "\"", ",", "\\u002e", "\\n", "evil.example", "git",
      "host=evil.example\n", "https://", "http://", "sparse+", "\u{131}", "\u{3002}", "é", " ",
      "--", "-o", "--scope", "get", "store", "erase",
    ].map { Array($0.utf8) } + [[0xff], [0xc0, 0x80], [0x7f], [0x01]]

  @Test(arguments: HelperProtocol.all.map(\.name))
  func aChangedCallAsksForNoHostThatItDoesNotName(_ name: String) throws {
    let helper = try #require(HelperProtocol.named(name))
    let calls = try Transcript.all.filter { $0.protocolName == name }.map { try $0.call() }
    for _ in 0..<300 {
      let call = try #require(calls.randomElement())
      let changed = HelperCall(
        call.arguments.map(Self.changed), environment: call.environment.mapValues(Self.changed),
        input: Self.changed(call.input))
      check(helper, changed)
    }
  }

  @Test(arguments: HelperProtocol.all.map(\.name))
  func randomBytesNeverCrashAHelper(_ name: String) throws {
    let helper = try #require(HelperProtocol.named(name))
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 0..<60)).flatMap { _ in
        Bool.random() ? [UInt8.random(in: 0...255)] : Self.pieces.randomElement() ?? []
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let verb = ["get", "store", "erase", "set", "forget", "list"].randomElement() ?? ""
      check(
        helper,
        HelperCall(
          Bool.random() ? [verb, text] : [text, verb],
          environment: Dictionary(uniqueKeysWithValues: helper.variables.map { ($0, text) }),
          input: bytes))
    }
  }

  private func check(_ helper: HelperProtocol, _ call: HelperCall) {
    let texts = NamedHosts(call)
    var steps = [helper.begin(call)]
    if helper.session(["--cargo-plugin"]) != nil { steps.append(CargoSession().step(call.input)) }
    for case .asks(let request, let answerTo) in steps {
      if let host = request.place?.address.host, host != "keyring.invalid" {
        #expect(texts.name(host), "\(helper.name) asked for \(host): \(call)")
      }
      let found = FoundCredential(username: "ada", secret: call.input)
      for outcome in [CredentialOutcome.found(found), .notFound, .done, .listed([])] {
        _ = answerTo(outcome)
      }
    }
  }

  private static func changed(_ text: String) -> String {
    String(decoding: changed(Array(text.utf8)), as: UTF8.self)
  }

  /// A third of the texts stay as they are.
  private static func changed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 0..<3) {
      let index = Int.random(in: 0...bytes.count)
      switch Int.random(in: 0..<4) {
      case 0: bytes.insert(contentsOf: pieces.randomElement() ?? [], at: index)
      case 1 where index < bytes.count: bytes[index] = UInt8.random(in: 0...255)
      case 2 where index < bytes.count: bytes.remove(at: index)
      default: bytes.append(contentsOf: bytes[index...])
      }
    }
    return bytes
  }
}
