import Foundation
import Testing
import TokenVaultModel

@testable import TokenVaultCredentialHelpers

/// Replays the transcripts, which are written from the specification of each protocol.
@Suite(.timeLimit(.minutes(2))) struct TranscriptTests {
  @Test(arguments: Transcript.all)
  func aTranscriptIsReplayedByteForByte(_ transcript: Transcript) throws {
    let helper = try #require(HelperProtocol.named(transcript.protocolName))
    let call = try transcript.call()
    #expect(Set(call.environment.keys).isSubset(of: helper.variables))
    if let session = helper.session(call.arguments) {
      try replay(transcript, session)
    } else {
      #expect(call.input.isEmpty || helper.readsInput(call.arguments))
      try expect(helper.begin(call), transcript.sections[...].dropFirst())
    }
  }

  /// Each input begins a step.
  private func replay(_ transcript: Transcript, _ session: CargoSession) throws {
    let parts = transcript.sections.split { $0.name == "input" }
    #expect(Array(session.greeting) == Array((parts[0].last?.text ?? "").utf8))
    #expect(parts.count == transcript.inputs.count + 1)
    for (input, part) in zip(transcript.inputs, parts.dropFirst()) {
      try expect(session.step(input), part)
    }
  }

  private func expect(_ step: HelperStep, _ sections: ArraySlice<Transcript.Section>) throws {
    let section = { (name: String) in sections.first { $0.name == name } }
    let answer: HelperAnswer
    switch step {
    case .answered(let given):
      #expect(section("asks") == nil, "the vault is not asked")
      answer = given
    case .asks(let request, let answerTo):
      #expect(request.testText + "\n" == section("asks")?.text)
      answer = answerTo(try CredentialOutcome(testLines: section("outcome")?.lines ?? []))
    }
    let output = try localTimes(section("output")?.text ?? "")
    #expect(String(decoding: answer.output.reveal(), as: UTF8.self) == output)
    #expect((answer.message.isEmpty ? "" : answer.message + "\n") == section("message")?.text ?? "")
    #expect("\(answer.status)" == section("status")?.lines.first ?? "0")
  }

  /// `{local SECONDS}` is that time in the zone of this machine.
  private func localTimes(_ text: String) throws -> String {
    var text = text
    while let match = text.firstMatch(of: /\{local (\d+)\}/) {
      let seconds = try #require(TimeInterval(match.output.1))
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
      text.replaceSubrange(
        match.range, with: formatter.string(from: Date(timeIntervalSince1970: seconds)))
    }
    return text
  }

  @Test func everyProtocolHasTranscriptsAndEveryTranscriptAProtocol() {
    let names = Set(Transcript.all.map(\.protocolName))
    #expect(names == Set(HelperProtocol.all.map(\.name)))
    #expect(Transcript.all.allSatisfy { $0.sections.first?.name == "call" })
  }

  @Test func everyNameOfAProgramBelongsToOneProtocol() {
    let names = HelperProtocol.all.flatMap { $0.programs + $0.substitutes }
    #expect(Set(names).count == names.count)
    for helper in HelperProtocol.all {
      for name in helper.programs + helper.substitutes {
        #expect(HelperProtocol.spoken(by: name)?.name == helper.name)
      }
      // The names of other programs are taken only where the user asks for that.
      #expect(helper.programs.allSatisfy { $0.contains("tokenvault") })
    }
    #expect(HelperProtocol.spoken(by: "tokenvault") == nil)
  }
}
