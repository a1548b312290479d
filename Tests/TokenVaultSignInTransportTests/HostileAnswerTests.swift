import Foundation
import TokenVaultSignIn
import TokenVaultSignInTransport
import Synchronization
import Testing
import TokenVaultTestSupport

/// The transport with hostile and broken servers.
@Suite(.timeLimit(.minutes(10))) struct HostileAnswerTests {
  private static let head = "HTTP/1.1 200 OK\r\n"
  private static let megabyte = [UInt8](repeating: 0x61, count: 1 << 20)

  private func send(
    to server: ScriptedServer, limit: Int = 1 << 20, deadlineMilliseconds: Int = 300_000,
    _ cancellation: Cancellation = Cancellation()
  ) throws -> HTTPResponse {
    defer { server.stop() }
    return try CurlTransport().send(
      HTTPRequest(
        try address(server.url), deadlineMilliseconds: deadlineMilliseconds, answerLimit: limit),
      cancellation)
  }

  @Test(arguments: ["Content-Length: 104857600\r\n", "Transfer-Encoding: chunked\r\n", ""])
  func aBodyOf100MegabytesIsCutOffAtTheLimit(field: String) throws {
    let sent = Atomic(0)
    let isGone = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { peer, _ in
      defer { isGone.signal() }
      peer.write(Self.head + field + "\r\n")
      for _ in 0..<100 {
        if field.contains("chunked"), !peer.write("100000\r\n") { break }
        guard peer.write(Self.megabyte) else { break }
        if field.contains("chunked"), !peer.write("\r\n") { break }
        sent.add(1, ordering: .relaxed)
      }
      return false
    }
    #expect(throws: TransportError.tooLarge(limit: 1 << 20)) { try send(to: server) }
    isGone.wait()
    // Beyond the limit, the server can only fill the kernel's buffers.
    #expect(sent.load(ordering: .relaxed) < 50)
  }

  @Test func aBodyOfExactlyTheLimitIsAcceptedAndOneByteMoreIsNot() throws {
    for (size, isTaken) in [(1000, true), (1001, false)] {
      let server = try ScriptedServer { peer, _ in peer.answer(Self.megabyte.prefix(size)) }
      if isTaken {
        #expect(try send(to: server, limit: 1000).body.count == size)
      } else {
        #expect(throws: TransportError.tooLarge(limit: 1000)) { try send(to: server, limit: 1000) }
      }
    }
  }

  @Test func theLimitAppliesToTheDecompressedBody() throws {
    let bomb = Array(try run("sh", ["-c", "head -c 300000000 /dev/zero | gzip -1"]))
    let server = try ScriptedServer { peer, _ in
      peer.answer(bomb, "Content-Encoding: gzip\r\n")
    }
    defer { server.stop() }
    let said = try runTransportProbe([server.url])
    #expect(said.first == "error tooLarge(limit: 1048576)")
    let kilobytes = try #require(Int(said[2].filter(\.isNumber)))
    #expect(kilobytes < 100_000, "\(said[2])")
    let nested = try ScriptedServer { peer, _ in
      peer.answer(bomb, "Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip\r\n")
    }
    #expect(throws: TransportError.notHTTP(host: "127.0.0.1")) { try send(to: nested) }
  }

  @Test func aCompressedBodyIsDecompressedAndADamagedOneIsRefused() throws {
    let packed = Array(try run("sh", ["-c", "printf hello | gzip"]))
    let server = try ScriptedServer { peer, request in
      #expect(request.contains("\r\nAccept-Encoding: gzip, deflate\r\n"))
      return peer.answer(packed, "Content-Encoding: gzip\r\n")
    }
    #expect(try send(to: server).body == Array("hello".utf8))
    let damaged = try ScriptedServer { peer, _ in
      peer.answer("hello".utf8, "Content-Encoding: gzip\r\n")
    }
    #expect(throws: TransportError.notHTTP(host: "127.0.0.1")) { try send(to: damaged) }
  }

  @Test(arguments: ["X: y\r\n", "a", "HTTP/1.1 100 Continue\r\n\r\n", "Set-Cookie: a=b\r\n"])
  func aFloodOfHeadersIsCutOffAtTheLimit(piece: String) throws {
    let pieces = Array(String(repeating: piece, count: 2 << 20 / piece.utf8.count).utf8)
    let server = try ScriptedServer { peer, _ in
      peer.write(piece.hasPrefix("HTTP") ? "" : Self.head)
      while peer.write(pieces) {}
      return false
    }
    #expect(throws: TransportError.tooLarge(limit: 64 << 10)) { try send(to: server) }
  }

  @Test func trailersAndInterimResponsesAreIgnored() throws {
    let server = try ScriptedServer(
      answering: "HTTP/1.1 103 Early\r\nX: early\r\n\r\n" + Self.head
        + "Transfer-Encoding: chunked\r\nX: real\r\n\r\n1\r\na\r\n0\r\nX: trailer\r\nY: z\r\n\r\n")
    let answer = try send(to: server)
    #expect(answer.status == 200)
    #expect(answer.headers.map(\.value) == ["chunked", "real"])
    #expect(answer.body == Array("a".utf8))
  }

  @Test(arguments: [
    "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Len",
    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloxyz",
  ])
  func aTruncatedResponseIsRefused(text: String) throws {
    let server = try ScriptedServer(answering: text, closing: true)
    #expect(throws: TransportError.unreachable(host: "127.0.0.1")) { _ = try send(to: server) }
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9.2\r\n", "\u{1}\u{2}\u{3}\u{0}", "hello", "HTTP/3.1 200 OK\r\n\r\n",
    "HTTP/1.1 abc OK\r\n\r\n", "<html></html>\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
  ])
  func aReplyThatIsNotHTTPIsRefused(text: String) throws {
    let server = try ScriptedServer(answering: text, closing: true)
    #expect(throws: TransportError.notHTTP(host: "127.0.0.1")) { _ = try send(to: server) }
  }

  @Test func randomBytesNeverCrash() throws {
    var random = SystemRandomNumberGenerator()
    for round in 0..<60 {
      let noise = (0..<Int.random(in: 0...3000)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let start = ["", "HTTP/1.1 ", Self.head, Self.head + "Content-Encoding: deflate\r\n\r\n"][
        round % 4]
      let server = try ScriptedServer { peer, _ in
        peer.write(start)
        peer.write(noise)
        return false
      }
      do { #expect(try send(to: server).body.count < 1 << 20) } catch is TransportError {}
    }
  }

  @Test(.parity("MSALHTTPConfig.timeoutIntervalForRequest"), arguments: [true, false])
  func anEndlessResponseIsAbandonedAtTheDeadline(isSilent: Bool) throws {
    let server = try ScriptedServer { peer, _ in
      if isSilent {
        peer.waitForTheEnd()
        return false
      }
      peer.write(Self.head + "\r\n")
      while peer.write("a") { usleep(1000) }
      return false
    }
    #expect(throws: TransportError.timedOut(host: "127.0.0.1")) {
      try send(to: server, deadlineMilliseconds: 200)
    }
  }

  @Test(arguments: [true, false])
  func aCancellationTakesEffectWithinASecond(isSilent: Bool) throws {
    let cancellation = Cancellation()
    let asked = Mutex(ContinuousClock.now)
    let server = try ScriptedServer { peer, _ in
      if !isSilent { peer.write(Self.head + "\r\nabc") }
      asked.withLock { $0 = .now }
      cancellation.cancel()
      peer.waitForTheEnd()
      return false
    }
    #expect(throws: TransportError.cancelled) { try send(to: server, cancellation) }
    #expect(ContinuousClock.now - asked.withLock { $0 } < .seconds(1))
    let untouched = try ScriptedServer { peer, _ in peer.answer([]) }
    #expect(throws: TransportError.cancelled) { try send(to: untouched, cancellation) }
    #expect(untouched.connections == 0)
  }

  @Test(.parity("MSALInternalErrorUnexpected -42008"))
  func unknownAndRefusingHostsAreReported() throws {
    let gone = try ScriptedServer { peer, _ in peer.answer([]) }
    _ = try send(to: gone)
    // The server's thread closes the listening socket.
    while let client = LocalClient("127.0.0.1", gone.port) { client.close() }
    #expect(throws: TransportError.refused(host: "127.0.0.1")) { try send(to: gone) }
  }
}
