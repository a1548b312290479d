import Testing
import TokenVaultModel

@testable import TokenVaultSignIn

/// The parsers of untrusted input, with random bytes.
@Suite(.timeLimit(.minutes(5))) struct RandomInputTests {
  private static func bytes(_ count: Int, _ alphabet: [UInt8]) -> [UInt8] {
    (0..<count).compactMap { _ in alphabet.randomElement() }
  }

  private static func text() -> String {
    let pieces = [
      "a", "Z", "0", " ", "&", "=", "+", "%", "%41", "é", "🦊", "\n", "\u{0}", "\"", "#",
    ]
    return (0..<Int.random(in: 0..<12)).compactMap { _ in pieces.randomElement() }.joined()
  }

  @Test func rfc6749_appendixB_encodedParametersDecodeToTheSame() throws {
    for _ in 0..<2000 {
      var form = FormParameters()
      for _ in 0..<Int.random(in: 0..<6) { form.append(Self.text(), Self.text()) }
      let encoded = form.encoded
      #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
      // A pair of empty texts is encoded as "=" and decoded again.
      #expect(FormParameters(encoded: encoded) == form)
    }
  }

  @Test func rfc6749_appendixB_plusIsASpaceAndMalformedEscapesAreRefused() {
    #expect(FormParameters(encoded: "a=b+c%20d&e")?.pairs.map(\.value) == ["b c d", ""])
    for text in ["a=%", "a=%4", "a=%zz", "a=%ff", "%c3%28=1", "a=%ed%a0%80"] {
      #expect(FormParameters(encoded: text) == nil, "\(text)")
    }
  }

  @Test func randomFormsNeverCrashAndSurviveReencoding() {
    let alphabet = Array("ab=&%+4f1".utf8) + [0, 0x7f, 0xc3]
    for _ in 0..<5000 {
      let text = String(decoding: Self.bytes(.random(in: 0..<40), alphabet), as: UTF8.self)
      guard let form = FormParameters(encoded: text) else { continue }
      #expect(FormParameters(encoded: form.encoded) == form)
    }
  }

  @Test func randomURLsAreRefusedOrRoundTrip() {
    let alphabet = Array("http:/s@[]:.-_?#%\\a1e0 ".utf8) + [0, 0x7f, 0xc3]
    for _ in 0..<5000 {
      let rest = String(decoding: Self.bytes(.random(in: 0..<24), alphabet), as: UTF8.self)
      for text in [rest, "https://" + rest, "http://127.0.0.1" + rest] {
        guard let address = HTTPURL(text) else { continue }
        #expect(HTTPURL(address.description) == address, "\(text)")
        #expect(!address.host.isEmpty)
        #expect(!address.host.contains { "/?#@\\ ".contains($0) })
        if address.scheme == "http", address.isConfidential { #expect(address.isLoopback) }
      }
    }
  }

  @Test func randomHeadsNeverCrashAndParseInOneWay() {
    let pieces: [[UInt8]] = [
      Array("GET ".utf8), Array("/?code=1&state=2".utf8), Array(" HTTP/1.1".utf8), [0x0d, 0x0a],
      [0x0a], [0x0d], Array("Host: 127.0.0.1".utf8), Array(":".utf8), [0x20], [0x09], [0x00],
      [0xff],
      Array("Sec-Fetch-Mode: navigate".utf8), [0x0d, 0x0a, 0x0d, 0x0a],
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<14)
      let bytes = (0..<count).compactMap { _ in pieces.randomElement() }.flatMap { $0 }
      guard case .request(let request) = RedirectRequest.read(bytes) else { continue }
      #expect(request.path.hasPrefix("/"))
      for text in [request.path, request.query, request.host, request.fetchMode] {
        #expect(!text.utf8.contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d })
      }
      // Bytes after the head do not change it.
      #expect(RedirectRequest.read(bytes + Array("more\r\n\r\n".utf8)) == .request(request))
    }
  }

  @Test func everyPrefixOfAHeadIsIncompleteAndTheWholeHeadIsParsed() {
    let head = Array("GET /back?code=a HTTP/1.1\r\nHost: [::1]:1\r\nA: b\r\n\r\n".utf8)
    for count in 0..<head.count {
      #expect(RedirectRequest.read(Array(head[..<count])) == .incomplete)
    }
    guard case .request(let request) = RedirectRequest.read(head) else {
      Issue.record("not read")
      return
    }
    #expect(request.host == "[::1]:1")
    #expect(request.query == "code=a")
  }

  @Test func anEndlessHeadIsRefusedAtTheLimit() {
    let long = Array("GET /".utf8) + [UInt8](repeating: 0x61, count: RedirectRequest.limit)
    #expect(RedirectRequest.read(long) == .malformed)
    #expect(RedirectRequest.read(long + Array(" HTTP/1.1\r\n\r\n".utf8)) == .malformed)
  }

  @Test func rfc9112_section3_2_twoHostFieldsAreRefused() {
    let head = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nhost: evil.example\r\n\r\n"
    #expect(RedirectRequest.read(Array(head.utf8)) == .malformed)
  }

  @Test func randomTokenResponsesNeverCrash() {
    let good = Array(
      #"{"access_token":"a","token_type":"Bearer","expires_in":3600,"scope":"read"}"#.utf8)
    for _ in 0..<5000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1..<5) {
        let index = Int.random(in: bytes.indices)
        switch Int.random(in: 0..<3) {
        case 0: bytes[index] = UInt8.random(in: 0...255)
        case 1: bytes.remove(at: index)
        default: bytes.insert(UInt8.random(in: 0...255), at: index)
        }
      }
      do {
        let answer = try TokenResponse(HTTPResponse(status: 200, body: bytes))
        #expect(!answer.accessToken.reveal().isEmpty)
        #expect(answer.expiresIn >= 0)
      } catch {
        switch error {
        case .badAnswer, .provider: break
        default: Issue.record("\(error)")
        }
      }
    }
  }
}
