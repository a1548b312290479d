import Dispatch
import Synchronization
import Testing

@testable import TokenVaultSignIn

/// Async transports under code that blocks its own thread.
///
/// Only the test of the deadline has one, because tests that run at the same time may block the
/// cooperative pool for as long as they take.
@Suite(.timeLimit(.minutes(5))) struct AsyncTransportBridgeTests {
  /// Sends on a thread of a Dispatch queue, as `PublicClientApplication` does.
  private func send(
    _ transport: any HTTPTransport, _ url: String = "https://id.example/",
    deadline: Int = 86_400_000, limit: Int = 1 << 20,
    cancellation: Cancellation = Cancellation()
  ) async throws -> HTTPResponse {
    let request = HTTPRequest(
      try #require(HTTPURL(url)), body: [1, 2], deadlineMilliseconds: deadline, answerLimit: limit)
    let result: Result<HTTPResponse, TransportError> = await withCheckedContinuation { sent in
      DispatchQueue(label: "test").async {
        sent.resume(
          returning: Result { () throws(TransportError) in
            try AsyncTransportBridge(transport).send(request, cancellation)
          })
      }
    }
    return try result.get()
  }

  @Test func theResponseReachesTheBlockedThread() async throws {
    let response = try await send(
      ScriptedTransport { request in
        await Task.yield()
        return HTTPResponse(status: 201, headers: [("a", "b")], body: request.body ?? [])
      })
    #expect(response.status == 201)
    #expect(response.header("A") == "b")
    #expect(response.body == [1, 2])
  }

  @Test func theTransportsErrorIsThrown() async {
    await #expect(throws: TransportError.refused(host: "id.example")) {
      try await send(
        ScriptedTransport { request throws(TransportError) in
          throw .refused(host: request.address.host)
        })
    }
  }

  @Test func aBodyOverTheLimitIsRefused() async throws {
    let transport = ScriptedTransport { _ in
      HTTPResponse(status: 200, body: [UInt8](repeating: 0, count: 100))
    }
    #expect(try await send(transport, limit: 100).body.count == 100)
    await #expect(throws: TransportError.tooLarge(limit: 99)) {
      try await send(transport, limit: 99)
    }
  }

  @Test func requestsToHTTPOnAnotherMachineAndCancelledOnesDoNotReachTheTransport() async {
    let transport = ScriptedTransport { _ in
      Issue.record("sent")
      return HTTPResponse(status: 200)
    }
    await #expect(throws: TransportError.notConfidential(host: "id.example")) {
      try await send(transport, "http://id.example/")
    }
    let cancellation = Cancellation()
    cancellation.cancel()
    await #expect(throws: TransportError.cancelled) {
      try await send(transport, cancellation: cancellation)
    }
  }

  @Test func aCancellationReachesTheTransportsTask() async throws {
    let transport = EndlessTransport()
    let cancellation = Cancellation()
    let exchange = Task { try await send(transport, cancellation: cancellation) }
    await transport.hasStarted()
    cancellation.cancel()
    await #expect(throws: TransportError.cancelled) { try await exchange.value }
    // Returns once the transport's task has been cancelled.
    await transport.hasEnded()
  }

  @Test func aCancellationTakesEffectEvenIfTheTransportIgnoresIt() async throws {
    let transport = EndlessTransport(ignoresCancellation: true)
    let cancellation = Cancellation()
    let exchange = Task { try await send(transport, cancellation: cancellation) }
    await transport.hasStarted()
    cancellation.cancel()
    await #expect(throws: TransportError.cancelled) { try await exchange.value }
    // A response that arrives later is dropped.
    transport.end()
    await transport.hasEnded()
  }

  @Test(arguments: [false, true])
  func theDeadlineHoldsEvenIfTheTransportIgnoresIt(ignoresCancellation: Bool) async throws {
    let transport = EndlessTransport(ignoresCancellation: ignoresCancellation)
    await #expect(throws: TransportError.timedOut(host: "id.example")) {
      try await send(transport, deadline: 200)
    }
    if ignoresCancellation { transport.end() }
    await transport.hasEnded()
  }

  @Test @MainActor func theTransportMayUseTheMainActorThatTheClientAwaitsOn() async throws {
    let transport = MainActorTransport()
    for _ in 0..<3 { #expect(try await send(transport).status == 200) }
    #expect(transport.count == 3)
  }

  /// Far more threads wait than the pool has: if they were its own, no exchange could make progress.
  @Test func waitingThreadsDoNotOccupyTheCooperativePool() async throws {
    let count = 64
    let meeting = Meeting(of: count)
    let transport = ScriptedTransport { _ in
      await meeting.arrive()
      return HTTPResponse(status: 200)
    }
    try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
      for _ in 0..<count { group.addTask { try await send(transport) } }
      for try await response in group { #expect(response.status == 200) }
    }
  }
}

private struct ScriptedTransport: HTTPTransport {
  let script: @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try await script(request)
  }
}

/// A transport whose only exchange lasts until its task is cancelled, or until the test ends it.
private final class EndlessTransport: HTTPTransport {
  private let ignoresCancellation: Bool
  private let started = AsyncStream.makeStream(of: Void.self)
  private let ending = AsyncStream.makeStream(of: Void.self)
  private let ended = AsyncStream.makeStream(of: Void.self)

  init(ignoresCancellation: Bool = false) { self.ignoresCancellation = ignoresCancellation }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    started.continuation.finish()
    defer { ended.continuation.finish() }
    // A stream ends when its task is cancelled, so an exchange that ignores that needs another task.
    if ignoresCancellation {
      await Task { [ending] in for await _ in ending.stream {} }.value
    } else {
      for await _ in ending.stream {}
      guard Task.isCancelled else { throw .other(code: 0) }
    }
    return HTTPResponse(status: 200)
  }

  func hasStarted() async { for await _ in started.stream {} }
  func end() { ending.continuation.finish() }
  func hasEnded() async { for await _ in ended.stream {} }
}

@MainActor private final class MainActorTransport: HTTPTransport {
  private(set) var count = 0

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    count += 1
    await Task.yield()
    return HTTPResponse(status: 200)
  }
}

/// Lets no task pass before this many have arrived.
private actor Meeting {
  private var missing: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(of count: Int) { missing = count }

  func arrive() async {
    missing -= 1
    if missing <= 0 {
      for task in waiting { task.resume() }
      waiting = []
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }
}
