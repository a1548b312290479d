import Foundation
import Synchronization
import Testing
import TokenVault
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

/// The limits of the waits of a sign-in, and the outages that it outlasts.
@Suite(.timeLimit(.minutes(10))) struct TimeLimitTests {
  @Test func theDeadlineHoldsForTheProvidersResponsesToo() throws {
    let slow = try SignInBench()
    try slow.provider.fault(#"{"endpoint": "discovery", "ending": "hang"}"#)
    let error = try failure { try slow.signIn(as: "") { $0.deadlineMilliseconds = 1_000 } }
    #expect(error?.signIn == .timedOut)
  }

  @Test func aRequestThatCompletesASignInHasItsOwnLimit() throws {
    let slow = try SignInBench()
    try slow.provider.fault(#"{"endpoint": "token", "ending": "hang"}"#)
    var application = try slow.application()
    application.requestTimeoutMilliseconds = 1_000
    let error = try failure { try slow.signIn(as: "ada@contoso.example", application) }
    #expect(error?.signIn == .transport(.timedOut(host: "127.0.0.1")))
    #expect(try slow.accounts().isEmpty)
  }

  /// The provider issues the tokens after the time limit, and the keys are fetched after that.
  private func late(_ bench: SignInBench, _ limit: Int) -> SignInPlatform {
    let started = ContinuousClock.now
    var platform = bench.platform
    platform.transport = BeforeTokens(platform.transport) {
      let left = started + .milliseconds(limit + 100) - .now
      Thread.sleep(forTimeInterval: max(0, left / .seconds(1)))
    }
    return platform
  }

  @Test func aSignInThatIsFinishedJustInTimeIsStored() throws {
    let bench = try SignInBench()
    var request = InteractiveRequest(scopes: ScopeSet(["User.Read"]))
    request.deadlineMilliseconds = 6_000
    let result = try Acquisition(bench.vault.groupSession(), platform: late(bench, 6_000))
      .interactive(request, bench.application())
    #expect(try bench.accounts().map(\.identity) == [result.account.identity])
  }

  @Test func aDeviceSignInThatIsFinishedJustInTimeIsStored() throws {
    let bench = try SignInBench(#"{"deviceInterval": 1}"#)
    let provider = bench.provider
    let result = try Acquisition(bench.vault.groupSession(), platform: late(bench, 6_000)) {
      guard case .waitingForDevice(let code) = $0 else { return }
      do { try provider.answerDevice(code.userCode, as: "ada@contoso.example") } catch {
        Issue.record(error)
      }
    }.deviceCode(ScopeSet(["User.Read"]), limitMilliseconds: 6_000, bench.application())
    #expect(try bench.accounts().map(\.identity) == [result.account.identity])
  }

  @Test func theTokensThatArriveAfterCtrlCAreGivenBack() throws {
    let bench = try SignInBench()
    let cancellation = Cancellation()
    var platform = bench.platform
    platform.transport = BeforeTokens(platform.transport) { cancellation.cancel() }
    let error = try failure {
      try Acquisition(bench.vault.groupSession(), platform: platform, cancellation).interactive(
        InteractiveRequest(scopes: ScopeSet(["User.Read"])), bench.application())
    }
    #expect(error?.signIn == .cancelled)
    #expect(try bench.accounts().isEmpty)
    #expect(try bench.provider.counter("revocations") == 1)
  }

  /// A browser of Windows or behind a port forwarder connects as another user.
  @Test func aRefusedBrowserIsReportedAndNamedWhenTheTimeEnds() throws {
    guard OtherUser.canAct else { return }
    let bench = try SignInBench()
    let reply = Mutex("")
    bench.browser.script.withLock {
      $0 = { _, url in
        let items = URLComponents(string: url)?.queryItems
        let redirect = try #require(items?.first { $0.name == "redirect_uri" }?.value)
        let text = try OtherUser.send(
          "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", try #require(HTTPURL(redirect)?.port))
        reply.withLock { $0 = text }
      }
    }
    let refused = Mutex<[String]>([])
    let acquisition = Acquisition(bench.vault.groupSession(), platform: bench.platform) {
      if case .requestRefused(let reason) = $0 { refused.withLock { $0.append(reason) } }
    }
    var request = InteractiveRequest(scopes: ScopeSet(["User.Read"]))
    request.deadlineMilliseconds = 6_000
    let error = try failure { try acquisition.interactive(request, bench.application()) }
    #expect(error?.signIn == .browserRefused)
    #expect(refused.withLock { $0 } == [StrayRequest.otherUser.rawValue])
    #expect(reply.withLock { $0 }.contains("tokenvault sign-in --device-code"))
  }

  @Test func theDeadlineHoldsForADeviceCode() throws {
    let bench = try SignInBench()
    let error = try failure {
      try bench.acquisition().deviceCode(
        ScopeSet(["User.Read"]), limitMilliseconds: 1_500, bench.application())
    }
    #expect(error?.signIn == .timedOut)
  }

  @Test func rfc8628_section3_5_anOutageDuringPollingDoesNotEndTheSignIn() throws {
    let bench = try SignInBench(#"{"deviceInterval": 1}"#)
    try bench.provider.fault(#"{"endpoint": "token", "status": 503}"#)
    let provider = bench.provider
    let result = try Acquisition(bench.vault.groupSession(), platform: bench.platform) { event in
      guard case .waitingForDevice(let code) = event else { return }
      do { try provider.answerDevice(code.userCode, as: "ada@contoso.example") } catch {
        Issue.record(error)
      }
    }.deviceCode(ScopeSet(["User.Read"]), bench.application())
    #expect(result.account.username == "ada@contoso.example")
    #expect(try bench.provider.counter("faults") == 1)
  }
}
