import SignIn
import Synchronization
import Testing
import TokenVault
import TokenVaultTestSupport
import VaultModel

/// What an application's log is told.
@Suite struct SignInLogTests {
  private final class Lines: Sendable {
    let all = Mutex<[(level: SignInLog.Level, text: String)]>([])
    var texts: String { all.withLock { $0.map(\.text).joined(separator: "\n") } }
    var levels: Set<SignInLog.Level> { all.withLock { Set($0.map(\.level)) } }

    func log(_ level: SignInLog.Level, _ masking: SignInLog.Masking) -> SignInLog {
      SignInLog(level: level, masking: masking) { level, text in
        self.all.withLock { $0.append((level, text)) }
      }
    }
  }

  /// Signs in, asks silently, is refused, and fails.
  private func session(
    _ level: SignInLog.Level, _ masking: SignInLog.Masking
  ) async throws -> (lines: Lines, secrets: [String]) {
    let bench = try SignInBench()
    let lines = Lines()
    let app = PublicClientApplication(
      try bench.application(), vault: bench.vault.configuration(), platform: bench.platform,
      log: lines.log(level, masking))
    var request = InteractiveRequest(scopes: ScopeSet(["User.Read"]))
    request.deadlineMilliseconds = 86_400_000
    let result = try await app.acquireToken(interactive: request)
    var silent = SilentRequest(scopes: request.scopes, account: result.account)
    _ = try await app.acquireTokenSilent(silent)
    silent.forceRefresh = true
    try bench.provider.fault(
      #"{"error": "interaction_required", "description": "ada has to answer"}"#)
    _ = await #expect(throws: VaultError.self) { try await app.acquireTokenSilent(silent) }
    silent.authority = try Authority("https://other.example/")
    _ = await #expect(throws: VaultError.self) { try await app.acquireTokenSilent(silent) }
    return (lines, [result.accessToken.reveal(), result.idToken?.reveal() ?? "none"])
  }

  @Test func eachLevelTellsWhatThoseBeforeItDo() async throws {
    for level in SignInLog.Level.allCases {
      let (lines, _) = try await session(level, .all)
      #expect(lines.levels == Set(SignInLog.Level.allCases.filter { $0 <= level }), "\(level)")
    }
  }

  @Test func noLevelTellsASecretAndOnlyTheLastMaskingWhoItIs() async throws {
    for masking in SignInLog.Masking.allCases {
      let (lines, secrets) = try await session(.verbose, masking)
      let texts = lines.texts
      #expect(texts.contains("a token from the provider, correlation id "))
      #expect(texts.contains("a token from the group"))
      for secret in secrets + ["code=", "state="] { #expect(!texts.contains(secret)) }
      #expect(texts.contains("ada@contoso.example") == (masking == .secrets))
      #expect(texts.contains("ada has to answer") == (masking == .secrets))
      #expect(texts.contains(", of http://127.0.0.1") == (masking != .all))
    }
  }
}
