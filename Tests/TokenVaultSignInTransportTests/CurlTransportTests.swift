import PrototypeCheck
import TokenVaultSignIn
import TokenVaultSignInTransport
import Synchronization
import Testing

/// A URL that is known to be valid.
func address(_ text: String) throws -> HTTPURL { try #require(HTTPURL(text)) }

/// The transport with well-behaved servers.
@Suite(.timeLimit(.minutes(10))) struct CurlTransportTests {
  private let transport = CurlTransport()

  @Test func thePrototypesMatchTheInstalledHeader() {
    #expect(tv_curl_prototypes_match() == 1)
  }

  @Test func aRequestArrivesUnchanged() throws {
    let server = try ScriptedServer { peer, _ in
      peer.write(
        "HTTP/1.1 201 Created\r\nX-One: a\r\nx-one:  b \r\nContent-Length: 2\r\n\r\nok")
    }
    defer { server.stop() }
    let answer = try transport.send(
      HTTPRequest(
        method: "POST", try address("\(server.url)/token?q=%2F"),
        headers: [("Content-Type", "application/x-www-form-urlencoded"), ("X-Empty", "")],
        body: Array("grant=1".utf8)), Cancellation())
    #expect(answer.status == 201)
    #expect(answer.headers.map(\.name) == ["X-One", "x-one", "Content-Length"])
    #expect(answer.headers.map(\.value) == ["a", "b", "2"])
    #expect(answer.body == Array("ok".utf8))
    let request = try #require(server.requests.first)
    #expect(request.hasPrefix("POST /token?q=%2F HTTP/1.1\r\n"))
    #expect(request.contains("\r\nHost: 127.0.0.1:\(server.port)\r\n"))
    #expect(request.contains("\r\nContent-Length: 7\r\n"))
    #expect(request.contains("\r\nContent-Type: application/x-www-form-urlencoded\r\n"))
    #expect(request.contains("\r\nX-Empty:"))
    #expect(request.contains("\r\nUser-Agent: TokenVault\r\n"))
    #expect(!request.contains("Expect:"))
    #expect(request.hasSuffix("\r\n\r\ngrant=1"))
  }

  @Test func aBodyMayBeEmptyOrAbsent() throws {
    let server = try ScriptedServer(answering: "HTTP/1.1 204 No Content\r\n\r\n")
    defer { server.stop() }
    for (method, body, length) in [
      ("GET", nil, false), ("DELETE", nil, false), ("POST", nil, true), ("POST", [], true),
      ("PUT", [UInt8(ascii: "x")], true), ("HEAD", nil, false),
    ] as [(String, [UInt8]?, Bool)] {
      let answer = try transport.send(
        HTTPRequest(method: method, try address(server.url), body: body), Cancellation())
      #expect(answer.status == 204)
      let request = try #require(server.requests.last)
      #expect(request.hasPrefix("\(method) / HTTP/1.1\r\n"))
      #expect(request.contains("Content-Length: \(body?.count ?? 0)\r\n") == length)
      #expect(!request.contains("Content-Type:"))
    }
  }

  @Test func aConnectionIsReused() throws {
    let server = try ScriptedServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    defer { server.stop() }
    for method in ["GET", "POST", "GET", "HEAD", "POST"] {
      let request = HTTPRequest(method: method, try address(server.url))
      #expect(try transport.send(request, Cancellation()).status == 200)
    }
    #expect(server.requests.count == 5)
    #expect(server.connections == 1)
  }

  @Test func rfc9700_section4_14_2_aBodyThatTheServerMayHaveReceivedIsNotSentAgain() throws {
    let server = try ScriptedServer { peer, request in
      if request.hasPrefix("POST") { return false }
      return peer.answer([])
    }
    defer { server.stop() }
    _ = try transport.send(HTTPRequest(try address(server.url)), Cancellation())
    let refresh = HTTPRequest(
      method: "POST", try address(server.url), body: Array("refresh_token=1".utf8))
    #expect(throws: TransportError.unreachable(host: "127.0.0.1")) {
      try transport.send(refresh, Cancellation())
    }
    #expect(server.requests.count { $0.hasPrefix("POST") } == 1)
  }

  @Test func aRedirectIsReturnedAndNotFollowed() throws {
    let other = try ScriptedServer(answering: "HTTP/1.1 200 OK\r\n\r\n", closing: true)
    defer { other.stop() }
    let server = try ScriptedServer(
      answering: "HTTP/1.1 307 X\r\nLocation: \(other.url)/\r\nContent-Length: 0\r\n\r\n")
    defer { server.stop() }
    let answer = try transport.send(
      HTTPRequest(method: "POST", try address(server.url), body: [1]), Cancellation())
    #expect(answer.status == 307)
    #expect(answer.header("location") == "\(other.url)/")
    #expect(other.connections == 0)
  }

  @Test func cookiesAreNotKept() throws {
    let server = try ScriptedServer(
      answering: "HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n")
    defer { server.stop() }
    for _ in 0..<2 { _ = try transport.send(HTTPRequest(try address(server.url)), Cancellation()) }
    #expect(server.requests.count == 2)
    #expect(!server.requests.contains { $0.lowercased().contains("cookie") })
  }

  @Test func everyThreadReceivesTheResponseToItsRequest() throws {
    let server = try ScriptedServer { peer, request in
      peer.answer(request.split(separator: " ")[1].utf8)
    }
    defer { server.stop() }
    let wrong = Mutex<[String]>([])
    onThreads(8) { thread in
      for round in 0..<20 {
        let path = "/\(thread)/\(round)"
        do {
          let answer = try transport.send(
            HTTPRequest(try address(server.url + path)), Cancellation())
          if answer.body != Array(path.utf8) { wrong.withLock { $0.append(path) } }
        } catch {
          wrong.withLock { $0.append("\(path): \(error)") }
        }
      }
    }
    #expect(wrong.withLock { $0 } == [])
    #expect(server.requests.count == 160)
  }

  @Test(arguments: [
    ("X", "a\r\nAuthorization: b"), ("X", "a\nb"), ("X", "a\0b"), ("X: y", "a"), ("", "a"),
    ("X\r\nY", "a"), ("X;", ""),
  ])
  func aHeaderFieldCannotSmuggleAnother(name: String, value: String) throws {
    let server = try ScriptedServer(answering: "HTTP/1.1 200 OK\r\n\r\n", closing: true)
    defer { server.stop() }
    let request = HTTPRequest(try address(server.url), headers: [(name, value)])
    #expect(throws: TransportError.other(code: 43)) { try transport.send(request, Cancellation()) }
    #expect(server.connections == 0)
  }
}
