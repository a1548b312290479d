import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultCredentialHelpers

/// A stored secret or user name that the protocol would take for more than one value.
@Suite(.timeLimit(.minutes(2))) struct HostileSecretTests {
  static let secrets: [[UInt8]] = [
    Array("a\nquit=1\n".utf8), Array("a\r\nX-Evil: 1".utf8), Array("a\u{0}b".utf8),
    Array("a\u{1}auth=Bearer x\u{1}".utf8), [0xff, 0xfe], [], Array(" ".utf8),
    Array("{\"a\":1}".utf8), Array("\"}\n{".utf8), Array("a\u{2028}b".utf8), Array("é".utf8),
    [UInt8](repeating: 0x61, count: 5000),
  ]

  @Test(arguments: Transcript.all)
  func noSecretAddsALineToAnAnswer(_ transcript: Transcript) throws {
    let helper = try #require(HelperProtocol.named(transcript.protocolName))
    let call = try transcript.call()
    guard case .asks(_, let answerTo) = helper.begin(call) else { return }
    let good = try answerTo(Self.found("ada", Array("secret".utf8)))
    let lines = good.output.reveal().count { $0 == 0x0a }
    for secret in Self.secrets {
      for username in ["ada", "a\nquit=1", "a\u{0}", "a:b", ""] {
        let answer = try answerTo(Self.found(username, secret))
        let output = answer.output.reveal()
        #expect(!output.contains(0) && !output.contains(0x0d))
        #expect(!answer.message.contains("X-Evil") && !answer.message.contains("quit"))
        if output.isEmpty { continue }
        // A refused secret has a message and a status, or the JSON of an error.
        #expect(output.count { $0 == 0x0a } <= max(lines, 1), "\(secret.prefix(20)) \(username)")
        if output.first == UInt8(ascii: "{") { _ = try JSONValue(parsing: output) }
      }
    }
  }

  /// Every outcome has an answer, also one that does not belong to the request.
  @Test(arguments: Transcript.all)
  func everyOutcomeHasAnAnswer(_ transcript: Transcript) throws {
    let helper = try #require(HelperProtocol.named(transcript.protocolName))
    guard case .asks(_, let answerTo) = helper.begin(try transcript.call()) else { return }
    let outcomes: [CredentialOutcome] = [
      .done, .notFound, .listed([]), .failed(CredentialFailure("The group is locked.")),
      .failed(CredentialFailure("Sign in.", needsSignIn: true)),
    ]
    for outcome in outcomes {
      let answer = answerTo(outcome)
      #expect(answer.message.isEmpty || answer.status != 0)
      if case .failed(let failure) = outcome {
        let all = String(decoding: answer.output.reveal(), as: UTF8.self) + answer.message
        #expect(all.contains(failure.message), "the user sees the reason")
      }
    }
  }

  /// Git takes an expired credential for the refresh token in it.
  @Test func anExpiredCredentialAddsNoLineToGitsAnswer() throws {
    let helper = try #require(HelperProtocol.named("git"))
    let input = Array("protocol=https\nhost=git.example\n\n".utf8)
    guard case .asks(_, let answerTo) = helper.begin(HelperCall(["get"], input: input)) else {
      Issue.record("the vault was not asked")
      return
    }
    for (username, token) in [("a\nquit=1", "r"), ("ada", "r\nquit=1"), ("a\u{1b}[2J", "r")] {
      var found = FoundCredential(username: username, secret: [0x61])
      found.isExpired = true
      found.refreshToken = Redacted(text: token)
      let answer = answerTo(.found(found))
      #expect(answer.output.reveal().isEmpty && answer.status == 1)
      #expect(!answer.message.hasControlCharacters)
    }
  }

  private static func found(_ username: String, _ secret: [UInt8]) throws -> CredentialOutcome {
    var found = FoundCredential(username: username, secret: secret)
    found.expiresOn = Timestamp(epochSeconds: 1_893_456_000)
    found.idToken = Redacted(secret)
    return .found(found)
  }
}
