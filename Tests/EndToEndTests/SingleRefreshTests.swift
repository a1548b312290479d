import Foundation
import Testing
import TokenVaultTestSupport

/// All processes together refresh an account once, at a provider that rotates refresh tokens and
/// takes a reused one for stolen.
@Suite(.timeLimit(.minutes(10))) struct SingleRefreshTests {
  private static let ada = "ada@contoso.example"
  private static let grace = "grace@contoso.example"

  @Test(.parity("acquireTokenSilentWithParameters:completionBlock:"))
  func sixtyFourProcessesMakeOneRefreshInEachOfFiftyRounds() throws {
    let bench = try SignedInMachine()
    try bench.signIn(Self.ada)
    let command = [try built("tokenvault")] + bench.token(Self.ada)
    var previous = ""
    for round in 0..<50 {
      try bench.expire(Self.ada)
      let before = try bench.provider.counter("refreshRequests")
      let processes = try (0..<64).map { _ in try bench.machine.start(command) }
      var tokens: Set<String> = []
      for process in processes {
        var ran = try process.wait()
        // With this many simultaneous calls the keyring may need more than a second.
        for _ in 0..<5 where ran.isTimeout { ran = try bench.machine.run(command) }
        try #require(ran.status == 0, "round \(round): \(ran.errors)")
        tokens.insert(ran.output)
      }
      #expect(tokens.count == 1, "round \(round)")
      #expect(try bench.provider.counter("refreshRequests") == before + 1, "round \(round)")
      let token = try #require(tokens.first)
      #expect(token != previous)
      previous = token
    }
    #expect(try bench.provider.counter("reuses") == 0)
    #expect(try bench.provider.counter("familiesKilled") == 0)
    try bench.machine.expectSound()
  }

  @Test func aRefreshKilledWhileTheKeysAreFetchedLosesNothing() throws {
    let bench = try SignedInMachine()
    try bench.signIn(Self.ada)
    for round in 1...10 {
      try bench.expire(Self.ada)
      try bench.provider.fault(#"{"endpoint": "keys", "ending": "hang"}"#)
      let running = try bench.machine.start([built("tokenvault")] + bench.token(Self.ada))
      while try bench.provider.counter("faults") < round, running.isRunning { usleep(10_000) }
      running.signal(SIGKILL)
      #expect(try running.wait().wasKilled)
      var next = try bench.machine.run([built("tokenvault")] + bench.token(Self.ada))
      for _ in 0..<5 where next.isTimeout {
        next = try bench.machine.run([built("tokenvault")] + bench.token(Self.ada))
      }
      try #require(next.status == 0, "round \(round): \(next.errors)")
    }
    #expect(try bench.provider.counter("reuses") == 0)
    #expect(try bench.provider.counter("familiesKilled") == 0)
    try bench.machine.expectSound()
  }

  /// A rekey gives the account another lock while processes wait for the former one.
  @Test func sixtyFourProcessesMakeOneRefreshWhileTheGroupIsRekeyed() throws {
    let bench = try SignedInMachine()
    try bench.signIn(Self.ada)
    let command = [try built("tokenvault")] + bench.token(Self.ada)
    for round in 0..<10 {
      try bench.expire(Self.ada)
      let before = try bench.provider.counter("refreshRequests")
      let generation = try bench.machine.header().generation
      try bench.provider.fault(#"{"grant": "refresh_token", "delayAfter": \#(round * 40 + 1)}"#)
      let processes = try (0..<64).map { _ in try bench.machine.start(command) }
      let rekey = try bench.machine.start([built("tokenvault"), "group", "rekey"])
      var tokens: Set<String> = []
      for process in processes {
        var ran = try process.wait()
        for _ in 0..<5 where ran.isTimeout { ran = try bench.machine.run(command) }
        try #require(ran.status == 0, "round \(round): \(ran.errors)")
        tokens.insert(ran.output)
      }
      var ran = try rekey.wait()
      for _ in 0..<5 where ran.isTimeout {
        ran = try bench.machine.run([built("tokenvault"), "group", "rekey"])
      }
      #expect(ran.status == 0, "round \(round): \(ran.errors)")
      #expect(try bench.machine.header().generation == generation + 1)
      #expect(tokens.count == 1, "round \(round)")
      #expect(try bench.provider.counter("refreshRequests") == before + 1, "round \(round)")
    }
    #expect(try bench.provider.counter("reuses") == 0)
    #expect(try bench.provider.counter("familiesKilled") == 0)
    try bench.machine.expectSound()
  }

  /// The refresh is killed at each system call that sends or stores something. The next process
  /// must get a token, or report why the user has to sign in.
  @Test func aRefreshKilledAtAnyStepAffectsNoOtherAccount() throws {
    let bench = try SignedInMachine()
    try bench.signIn(Self.grace)
    try bench.machine.succeed(
      "token", "--scope", "User.Read", "--account", Self.grace, "--min-validity", "10m")
    try bench.signIn(Self.ada)
    let command = bench.token(Self.ada).joined(separator: " ")
    var (kills, recoveries, signIns) = (0, 0, 0)
    for call in ["/^pwrite", "/^f(data)?sync", "/^sendto$", "/^recvfrom$", "/^connect$", "/^fcntl"]
    {
      for count in 1...1000 {
        try bench.expire(Self.ada)
        let ran = try bench.machine.shell(
          "exec strace -f -qq -o /dev/null -e 'trace=\(call)' "
            + "-e 'inject=\(call):signal=SIGKILL:when=\(count)' \"$T\" \(command)")
        let wasKilled = ran.wasKilled || ran.status == 137
        try #require(
          wasKilled || ran.status == 0 || ran.isTimeout, "\(call) \(count): \(ran.errors)")
        var next = try bench.machine.run([built("tokenvault")] + bench.token(Self.ada))
        for _ in 0..<5 where next.isTimeout {
          next = try bench.machine.run([built("tokenvault")] + bench.token(Self.ada))
        }
        if next.status == 4 {
          #expect(next.errors.contains("tokenvault sign-in"), "\(call) \(count): \(next.errors)")
          #expect(next.errors.contains("invalid_grant"), "\(call) \(count): \(next.errors)")
          try bench.signIn(Self.ada)
          signIns += 1
        } else {
          #expect(next.status == 0, "\(call) \(count): \(next.errors)")
          recoveries += 1
        }
        try bench.machine.expectSound()
        #expect(try bench.machine.usernames() == [Self.ada, Self.grace])
        if ran.status == 0 { break }
        kills += 1
      }
    }
    // Grace's tokens are unaffected.
    let grace = try bench.machine.run([built("tokenvault")] + bench.token(Self.grace))
    #expect(grace.status == 0, "\(grace.errors)")
    #expect(kills > 20, "too few commands were killed: \(kills)")
    // Both cases occurred: killed before the request, and between the answer and the write.
    #expect(recoveries > 10 && signIns > 0, "\(recoveries) recoveries, \(signIns) sign-ins")
  }
}
