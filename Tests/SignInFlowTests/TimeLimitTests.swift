import Foundation
import Testing
import TokenVault
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

/// The limits of the waits of a sign-in, and the outages that it outlasts.
@Suite(.timeLimit(.minutes(10))) struct TimeLimitTests {
  @Test func theDeadlineHoldsForTheProvidersResponsesToo() throws {
    let slow = try SignInBench()
    for endpoint in ["discovery", "token"] {
      try slow.provider.fault(#"{"endpoint": "\#(endpoint)", "ending": "hang"}"#)
      let error = try failure { try slow.signIn(as: "") { $0.deadlineMilliseconds = 4_000 } }
      #expect(error?.signIn == .timedOut, "\(endpoint)")
      try slow.provider.control("faults/clear", "{}")
    }
    #expect(try slow.accounts().isEmpty)
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
