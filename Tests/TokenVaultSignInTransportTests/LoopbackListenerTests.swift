import Foundation
import TokenVaultSignIn
import Synchronization
import Testing
import TokenVaultTestSupport

@testable import TokenVaultSignInTransport
@testable import TokenVaultSystem

/// The listener on loopback addresses, with well-behaved and hostile clients.
@Suite(.timeLimit(.minutes(10))) struct LoopbackListenerTests {
  private static let answer = "GET /cb?code=1&state=2 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

  /// Listens until the clients are done and one of them has sent the code.
  /// - Returns: the evaluated requests, in order.
  private func receive(
    for uri: RedirectURI = .loopback(.v4, port: nil, path: "/cb"),
    deadlineMilliseconds: Int = 300_000, _ cancellation: Cancellation = Cancellation(),
    clients: @escaping @Sendable (UInt16) -> Void
  ) throws -> [RedirectRequest] {
    let listener = try SystemRedirectReceiver(runtimeDirectory: nil).listen(for: uri)
    defer { listener.close() }
    let port = try #require(HTTPURL(listener.redirectURI)?.port)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      clients(port)
      done.signal()
    }
    defer { done.wait() }
    var evaluated: [RedirectRequest] = []
    try listener.receive(deadlineMilliseconds: deadlineMilliseconds, cancellation) { request in
      evaluated.append(request)
      let isAnswer = request.query.contains("code=") && !request.isOfOtherUser
      return RedirectResult(
        status: isAnswer ? 200 : 404, page: isAnswer ? "<p>Döne" : "<p>No", isAnswer: isAnswer)
    }
    return evaluated
  }

  @Test func theRedirectEndsTheWaitAndItsPageHasArrived() throws {
    let page = Mutex("")
    let evaluated = try receive { port in
      let text = LocalClient.ask(Self.answer, port)
      page.withLock { $0 = text }
    }
    #expect(evaluated.map(\.path) == ["/cb"])
    #expect(evaluated.map(\.query) == ["code=1&state=2"])
    let text = page.withLock { $0 }
    #expect(text.hasPrefix("HTTP/1.1 200 \r\n"))
    #expect(text.hasSuffix("\r\n\r\n<p>Döne"))
    for field in [
      "Content-Type: text/html; charset=utf-8", "Content-Length: 8", "Connection: close",
      "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
      "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; ",
    ] { #expect(text.contains("\r\n\(field)"), "\(field)") }
  }

  @Test(arguments: [
    (RedirectURI.Loopback.v4, ["127.0.0.1"]), (.v6, ["::1"]), (.localhost, ["127.0.0.1", "::1"]),
  ])
  func rfc8252_section7_3_theListenerUsesEveryAddressOfTheHost(
    host: RedirectURI.Loopback, addresses: [String]
  ) throws {
    for address in addresses {
      let evaluated = try receive(for: .loopback(host, port: nil, path: "/cb")) { port in
        _ = LocalClient.ask(Self.answer, port, host: address)
      }
      #expect(evaluated.count == 1, "\(address)")
    }
  }

  @Test func rfc8252_section8_3_theListenerUsesNoOtherAddress() throws {
    for (uri, others) in [
      (RedirectURI.loopback(.v4, port: nil, path: "/"), ["127.0.0.2", "::1"]),
      (.loopback(.v6, port: nil, path: "/"), ["127.0.0.1"]),
      (.loopback(.localhost, port: nil, path: "/"), ["127.0.0.2"]),
    ] {
      let listener = try SystemRedirectReceiver(runtimeDirectory: nil).listen(for: uri)
      defer { listener.close() }
      let port = try #require(HTTPURL(listener.redirectURI)?.port)
      for other in others { #expect(LocalClient(other, port) == nil, "\(uri) \(other)") }
    }
  }

  @Test func rfc8252_section7_3_thePortIsTheGivenOneOrAFreeOne() throws {
    let receiver = SystemRedirectReceiver(runtimeDirectory: nil)
    let first = try receiver.listen(for: .standard)
    let port = try #require(HTTPURL(first.redirectURI)?.port)
    #expect(first.redirectURI == "http://127.0.0.1:\(port)/")
    let given = RedirectURI.loopback(.localhost, port: port, path: "/x")
    #expect(throws: SignInError.redirectUnavailable(EADDRINUSE)) {
      _ = try receiver.listen(for: given)
    }
    first.close()
    #expect(LocalClient("127.0.0.1", port) == nil)
    let second = try receiver.listen(for: given)
    #expect(second.redirectURI == "http://localhost:\(port)/x")
    second.close()
  }

  @Test func foreignRequestsGetAReplyAndTheWaitContinues() throws {
    let pages = Mutex<[String]>([])
    let evaluated = try receive { port in
      for request in [
        "GET /favicon.ico HTTP/1.1\r\nHost: a\r\n\r\n", "POST /cb HTTP/1.1\r\nHost: evil\r\n\r\n",
        "HEAD / HTTP/1.0\r\n\r\n", Self.answer,
      ] {
        let text = LocalClient.ask(request, port)
        pages.withLock { $0.append(text) }
      }
    }
    #expect(evaluated.map(\.method) == ["GET", "POST", "HEAD", "GET"])
    #expect(evaluated.map(\.host) == ["a", "evil", "", "127.0.0.1"])
    let texts = pages.withLock { $0 }
    #expect(texts.dropLast().allSatisfy { $0.hasPrefix("HTTP/1.1 404 \r\n") })
    #expect(texts[1].hasSuffix("<p>No"))
    #expect(texts[2].hasSuffix("\r\n\r\n"), "an answer to HEAD has no body")
  }

  @Test func malformedRequestsGetStatus400AndAreNotEvaluated() throws {
    let pages = Mutex<[String]>([])
    let evaluated = try receive { port in
      for request in [
        "hello\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "\0\0\0\n\n", "\u{16}\u{3}\u{1}\n\r\n",
        // An endless head, and a single field of the same size.
        "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 1 << 20),
        "GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 1 << 17),
      ] {
        let text = LocalClient.ask(request, port)
        pages.withLock { $0.append(text) }
      }
      _ = LocalClient.ask(Self.answer, port)
    }
    #expect(evaluated.count == 1)
    for (index, text) in pages.withLock({ $0 }).enumerated() {
      // A client that keeps sending may be disconnected before it receives the page.
      #expect(text.hasPrefix("HTTP/1.1 400 \r\n") || (index >= 6 && text.isEmpty), "\(index)")
    }
  }

  @Test func silentAndSlowClientsDoNotDelayOthers() throws {
    let isAnswered = Atomic(false)
    let wait = Mutex(Duration.zero)
    let evaluated = try receive { port in
      // Some clients are silent, some send a part of a request, some send single bytes.
      let crowd = (0..<200).compactMap { index -> LocalClient? in
        let client = LocalClient("127.0.0.1", port)
        if index % 2 == 1 { client?.write("GET / HTTP/1.1\r\nHost:".utf8) }
        return client
      }
      let slow = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        while !isAnswered.load(ordering: .relaxed) {
          for client in crowd.suffix(20) { client.write([0x61]) }
          usleep(1000)
        }
        slow.signal()
      }
      let started = ContinuousClock.now
      let text = LocalClient.ask(Self.answer, port)
      wait.withLock { $0 = ContinuousClock.now - started }
      #expect(text.hasSuffix("<p>Döne"))
      isAnswered.store(true, ordering: .relaxed)
      slow.wait()
      for client in crowd { client.close() }
    }
    #expect(evaluated.count == 1)
    // A client's time limit is ten seconds; none was awaited.
    #expect(wait.withLock { $0 } < .seconds(8))
  }

  @Test func garbageResetsAndHalfRequestsChangeNothing() throws {
    let evaluated = try receive { port in
      var random = SystemRandomNumberGenerator()
      for index in 0..<400 {
        guard let client = LocalClient("127.0.0.1", port) else { continue }
        client.write(
          (0..<Int.random(in: 0...600)).map { _ in UInt8.random(in: 0...255, using: &random) })
        if index % 3 == 0 { client.reset() } else { client.close() }
      }
      guard let hasty = LocalClient("127.0.0.1", port) else { return }
      hasty.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
      hasty.reset()
      _ = LocalClient.ask(Self.answer, port)
    }
    #expect(evaluated.last?.query == "code=1&state=2")
  }

  @Test func thePageArrivesEvenIfTheBrowserSentMoreThanWasRead() throws {
    let page = Mutex("")
    _ = try receive { port in
      let body = String(repeating: "x", count: 60_000)
      let text = LocalClient.ask(
        "POST /cb?code=1 HTTP/1.1\r\nContent-Length: 60000\r\n\r\n" + body, port)
      page.withLock { $0 = text }
    }
    #expect(page.withLock { $0 }.hasSuffix("<p>Döne"))
  }

  @Test func aBrowserThatNeverDisconnectsDelaysTheEndByAboutASecond() throws {
    let isOver = DispatchSemaphore(value: 0)
    let started = ContinuousClock.now
    _ = try receive { port in
      let client = LocalClient("127.0.0.1", port)
      client?.write(Self.answer.utf8)
      Thread.detachNewThread {
        isOver.wait()
        client?.close()
      }
    }
    isOver.signal()
    #expect(ContinuousClock.now - started < .seconds(10))
  }

  @Test func clientsOfAnotherUserAreRecognised() throws {
    guard OtherUser.canAct else { return }
    let uri = RedirectURI.loopback(.localhost, port: nil, path: "/cb")
    // The last one is an IPv6 socket that connects to the IPv4 address, as Java's are.
    let addresses = ["127.0.0.1", "::1", "::ffff:127.0.0.1"]
    let evaluated = try receive(for: uri) { port in
      for address in addresses {
        do { _ = try OtherUser.send(Self.answer, port, host: address) } catch {
          Issue.record(error)
        }
      }
      _ = LocalClient.ask("GET / HTTP/1.0\r\n\r\n", port, host: "::ffff:127.0.0.1")
      _ = LocalClient.ask(Self.answer, port)
    }
    #expect(evaluated.map(\.isOfOtherUser) == [true, true, true, false, false])
  }

  @Test func manyConnectionsOfAnotherUserDoNotKeepThisUserOut() throws {
    let owners = Mutex(0)
    let listener = try LoopbackListener(.v4, port: nil, path: "/cb") { _ in
      // The first 100 clients count as another user's.
      owners.withLock {
        $0 += 1; return $0 > 100
      }
    }
    defer { listener.close() }
    let port = try #require(HTTPURL(listener.redirectURI)?.port)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let crowd = (0..<100).compactMap { _ in LocalClient("127.0.0.1", port) }
      let own = LocalClient("127.0.0.1", port)
      own?.write("GET /cb?co".utf8)
      own?.write("de=1 HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
      _ = own?.readToEnd()
      (crowd + [own].compactMap(\.self)).forEach { $0.close() }
      done.signal()
    }
    defer { done.wait() }
    try listener.receive(deadlineMilliseconds: 300_000, Cancellation()) { request in
      RedirectResult(status: 200, page: "", isAnswer: !request.isOfOtherUser)
    }
  }

  @Test func aClientWhoseUserIsUnknownEndsTheWait() throws {
    let listener = try LoopbackListener(.v4, port: nil, path: "/cb") { _ throws(SystemCallError) in
      throw SystemCallError(errno: EPROTONOSUPPORT, call: "socket")
    }
    defer { listener.close() }
    let client = LocalClient("127.0.0.1", try #require(HTTPURL(listener.redirectURI)?.port))
    defer { client?.close() }
    #expect(throws: SignInError.clientsUnknown(EPROTONOSUPPORT)) {
      try listener.receive(deadlineMilliseconds: 300_000, Cancellation()) { _ in
        RedirectResult(status: 200, page: "", isAnswer: true)
      }
    }
  }

  /// Otherwise any program could end a sign-in.
  @Test func aClientThatResetItsConnectionBelongsToNoUser() throws {
    let bound = try ListeningSocket.v4(0)
    defer { close(bound.socket) }
    let client = try #require(LocalClient("127.0.0.1", bound.port))
    client.reset()
    let socket = try #require(SystemCalls.accept(bound.socket))
    defer { close(socket) }
    #expect(try SystemCalls.tcpPeerUser(socket) == nil)
    #expect(try SocketTable.peerUser(socket) == nil)
  }

  /// Otherwise another user could keep the listener busy with the kernel's lists, or end the sign-in
  /// where they cannot be read.
  @Test func aClosedConnectionIsNotLookedUpInTheListOfSockets() throws {
    let bound = try ListeningSocket.v4(0)
    defer { close(bound.socket) }
    let client = try #require(LocalClient("127.0.0.1", bound.port))
    client.close()
    let socket = try #require(SystemCalls.accept(bound.socket))
    defer { close(socket) }
    let user = try SystemCalls.tcpPeerUser(socket) { _ throws(SystemCallError) in
      throw SystemCallError(errno: EACCES, call: "open")
    }
    #expect(user == nil)
  }

  @Test func aCrowdThatConnectsAndClosesDelaysNeitherTheEndNorThisUser() throws {
    let cancellation = Cancellation()
    let seen = Mutex(0)
    let listener = try LoopbackListener(.v4, port: nil, path: "/cb") { _ in
      seen.withLock { $0 += 1 }
      cancellation.cancel()
      return nil
    }
    defer { listener.close() }
    let port = try #require(HTTPURL(listener.redirectURI)?.port)
    let crowd = (0..<20).compactMap { _ in LocalClient("127.0.0.1", port) }
    defer { crowd.forEach { $0.close() } }
    #expect(throws: SignInError.cancelled) {
      try listener.receive(deadlineMilliseconds: 300_000, cancellation) { _ in
        RedirectResult(status: 200, page: "", isAnswer: true)
      }
    }
    #expect(seen.withLock { $0 } == 1)
  }

  @Test(
    arguments: [
      (65534, "65534\n", "         0       1000          1\n", true),
      (65534, "65534\n", "0 0 4294967295\n", false), (1000, "65534\n", "1000 1000 1\n", false),
      (0, "65534\n", "0 1000 1\n", false), (65534, "65534\n", "", true),
    ] as [(UInt32, String, String, Bool)])
  func theOverflowUserOfANamespaceStandsForSeveral(
    user: UInt32, overflow: String, map: String, isHidden: Bool
  ) {
    #expect(UserNamespace.hides(user, overflow: overflow, map: map) == isHidden)
  }

  @Test(arguments: [("127.0.0.1", false), ("::1", true), ("::ffff:127.0.0.1", false)])
  func theOwnerOfAConnectionIsFoundInTheListOfSocketsToo(address: String, isV6: Bool) throws {
    let bound = isV6 ? try ListeningSocket.v6(0) : try ListeningSocket.v4(0)
    defer { close(bound.socket) }
    let client = try #require(LocalClient(address, bound.port))
    var pending = pollfd(fd: bound.socket, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&pending, 1, 60_000) == 1)
    let socket = try #require(SystemCalls.accept(bound.socket))
    defer { close(socket) }
    #expect(try SystemCalls.tcpPeerUser(socket) == geteuid())
    #expect(try SocketTable.peerUser(socket) == geteuid())
    // The kernel lists a closed socket with user 0.
    client.close()
    #expect(try SystemCalls.tcpPeerUser(socket) == nil)
    #expect(try SocketTable.peerUser(socket) == nil)
  }

  @Test func theWaitEndsAtItsDeadline() {
    #expect(throws: SignInError.timedOut) { try receive(deadlineMilliseconds: 50) { _ in } }
  }

  @Test func theWaitEndsWithinASecondOfItsCancellation() throws {
    let cancellation = Cancellation()
    let asked = Mutex(ContinuousClock.now)
    #expect(throws: SignInError.cancelled) {
      try receive(cancellation) { port in
        // A reply shows that the wait has begun.
        _ = LocalClient.ask("GET / HTTP/1.0\r\n\r\n", port)
        asked.withLock { $0 = .now }
        cancellation.cancel()
      }
    }
    #expect(ContinuousClock.now - asked.withLock { $0 } < .seconds(1))
  }
}
