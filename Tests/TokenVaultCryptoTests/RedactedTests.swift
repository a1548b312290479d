import Foundation
import Testing
import TokenVaultCrypto

@Suite(.timeLimit(.minutes(5))) struct RedactedTests {
  private static let secret = "s3cr3t-token-text"

  private struct Credential {
    var user = "ada"
    var token = Redacted(RedactedTests.secret)
    var nested: Redacted<[String: String]>? = Redacted(["token": RedactedTests.secret])
    var list = [Redacted(Array(RedactedTests.secret.utf8))]
  }

  private enum Refusal: Error {
    case server(answer: Redacted<String>)
  }

  /// All texts that the standard library produces for a value.
  private func printed(_ value: Any) -> [String] {
    var printed = ""
    print(value, to: &printed)
    debugPrint(value, to: &printed)
    var dumped = ""
    dump(value, to: &dumped)
    return [
      printed, dumped, "\(value)", String(describing: value), String(reflecting: value),
      leaves(Mirror(reflecting: value)).joined(separator: "\n"),
    ]
  }

  private func leaves(_ mirror: Mirror) -> [String] {
    mirror.children.flatMap { child in
      ["\(child.label ?? "") \(child.value)"] + leaves(Mirror(reflecting: child.value))
    }
  }

  private func values() -> [Any] {
    let redacted = Redacted(Self.secret)
    return [
      redacted, Optional(redacted) as Any, [redacted], ["token": redacted], (1, redacted),
      Result<Redacted<String>, any Error>.success(redacted), Credential(), [Credential()],
      Refusal.server(answer: redacted), Redacted(Array(Self.secret.utf8)), Redacted(redacted),
    ]
  }

  @Test func doesNotShowItsValueAloneOrNested() {
    let bytes = "115, 51, 99"  // the secret's first bytes, as an array prints them
    for text in values().flatMap(printed) {
      #expect(!text.contains(Self.secret))
      #expect(!text.contains(bytes))
    }
  }

  @Test func showsThatAValueIsRedacted() {
    #expect("\(Redacted(Self.secret))" == "<redacted>")
    #expect(String(reflecting: Redacted(1)) == "<redacted>")
    #expect("\([Redacted(1)])" == "[<redacted>]")
    #expect("\(Credential())".contains("ada"))
    for value in values() {
      #expect(printed(value)[0].contains("<redacted>"))
      #expect(printed(value)[1].contains("<redacted>"))
    }
  }

  @Test func isNotShownByTheDescriptionOfAnError() {
    let error: any Error = Refusal.server(answer: Redacted(Self.secret))
    let texts = [error.localizedDescription, "\(error)", "\(error as NSError)"]
    for text in texts { #expect(!text.contains(Self.secret)) }
  }

  @Test func hasAMirrorWithoutChildren() {
    #expect(Mirror(reflecting: Redacted(Credential())).children.isEmpty)
    #expect(Mirror(reflecting: Redacted(Credential())).superclassMirror == nil)
  }

  @Test func revealsItsValueOnRequestAndComparesByIt() {
    #expect(Redacted(Self.secret).reveal() == Self.secret)
    #expect(Redacted(1) == Redacted(1))
    #expect(Redacted(1) != Redacted(2))
    #expect(Set([Redacted(1), Redacted(1), Redacted(2)]).count == 2)
  }
}
