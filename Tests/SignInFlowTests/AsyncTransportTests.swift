import Dispatch
import Testing
import TokenVault
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultSignInTransport
import TokenVaultTestSupport

/// An application with an async transport of its own.
@Suite(.timeLimit(.minutes(10))) struct AsyncTransportTests {
  private static let scopes = ScopeSet(["User.Read"])
  private static let oneDay = 86_400_000

  @MainActor private func application(
    _ bench: SignInBench, _ transport: any HTTPTransport
  ) throws -> PublicClientApplication {
    var configuration = try bench.application()
    configuration.requestTimeoutMilliseconds = Self.oneDay
    return PublicClientApplication(
      configuration, vault: bench.vault.configuration(),
      platform: SignInPlatform(
        transport: transport, receiver: bench.platform.receiver, browser: bench.browser))
  }

  /// The client awaits on the main actor, and the transport needs the main actor for each request.
  @Test(.parity("ClientApplication.http_client", "public.WithHTTPClient")) @MainActor
  func anAsyncTransportSignsInRefreshesAndCallsAnAPI() async throws {
    let bench = try SignInBench()
    let transport = MainActorTransport()
    let app = try application(bench, transport)
    var request = InteractiveRequest(scopes: Self.scopes)
    request.deadlineMilliseconds = Self.oneDay
    let account = try await app.acquireToken(interactive: request).account
    // The metadata, the token and the keys.
    #expect(transport.paths.count == 3)
    let silent = SilentRequest(scopes: Self.scopes, account: account)
    #expect(try await app.acquireTokenSilent(silent).isFromCache)
    #expect(transport.paths.count == 3)
    try bench.advance(by: 4000)
    #expect(try await !app.acquireTokenSilent(silent).isFromCache)
    #expect(try bench.provider.counter("refreshes") == 1)
    // A refresh goes to the authority of the account's tenant, which has its own metadata.
    #expect(transport.paths.count == 6)
    var me = try APIRequest("GET", bench.provider.url + "/v1.0/me")
    me.scopes = Self.scopes
    #expect(try await app.call(me, for: account).status == 200)
    #expect(transport.paths.last == "/v1.0/me")
  }

  @Test @MainActor func aCancelledTaskCancelsTheTransportsTask() async throws {
    let bench = try SignInBench()
    try bench.signIn(as: "ada@contoso.example")
    let transport = EndlessTransport()
    let app = try application(bench, transport)
    let account = try #require(try await app.accounts().accounts.first)
    var silent = SilentRequest(scopes: Self.scopes, account: account)
    silent.forceRefresh = true
    let task = Task { [silent] in try await app.acquireTokenSilent(silent) }
    await transport.hasStarted()
    task.cancel()
    let error = await #expect(throws: VaultError.self) { try await task.value }
    #expect(error?.signIn == .cancelled)
    await transport.hasEnded()
  }
}

/// Sends with libcurl on its own queue, and records each request on the main actor.
@MainActor private final class MainActorTransport: HTTPTransport {
  private let curl = CurlTransport()
  private(set) var paths: [String] = []

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    paths.append(request.address.path)
    let curl = curl
    let result: Result<HTTPResponse, TransportError> = await withCheckedContinuation { sent in
      DispatchQueue(label: "test").async {
        sent.resume(
          returning: Result { () throws(TransportError) in
            try curl.send(request, Cancellation())
          })
      }
    }
    return try result.get()
  }
}

/// A transport whose requests last until their task is cancelled.
private final class EndlessTransport: HTTPTransport {
  private let started = AsyncStream.makeStream(of: Void.self)
  private let never = AsyncStream.makeStream(of: Void.self)
  private let ended = AsyncStream.makeStream(of: Void.self)

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    started.continuation.finish()
    for await _ in never.stream {}
    ended.continuation.finish()
    throw .cancelled
  }

  func hasStarted() async { for await _ in started.stream {} }
  func hasEnded() async { for await _ in ended.stream {} }
}
