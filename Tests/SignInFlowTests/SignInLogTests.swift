import TokenVaultSignIn
import Synchronization
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

/// The content of the log at each level.
@Suite(.timeLimit(.minutes(10))) struct SignInLogTests {
  private final class Lines: Sendable {
    let all = Mutex<[(level: SignInLog.Level, text: String)]>([])
    func log(_ level: SignInLog.Level) -> SignInLog {
      SignInLog(level) { level, text in self.all.withLock { $0.append((level, text)) } }
    }
    var texts: [String] { all.withLock { $0.map(\.text) } }
  }

  @Test(
    .parity(
      "MSALGlobalConfig.loggerConfig", "MSALLoggerConfig.logLevel",
      "MSALLoggerConfig.setLogCallback:", "MSALLoggerConfig.logMaskingLevel",
      "MSALLogMaskingSettingsMaskAllPII"), arguments: SignInLog.Level.allCases)
  func theLogReportsEventsWithoutSecretsOrNames(level: SignInLog.Level) async throws {
    let bench = try SignInBench()
    let lines = Lines()
    let app = PublicClientApplication(
      try bench.application(), vault: bench.vault.configuration(), platform: bench.platform,
      log: lines.log(level))
    var request = InteractiveRequest(scopes: ScopeSet(["User.Read"]))
    request.deadlineMilliseconds = 86_400_000
    request.loginHint = "ada@contoso.example"
    let result = try await app.acquireToken(interactive: request)
    var silent = SilentRequest(scopes: ScopeSet(["User.Read"]), account: result.account)
    _ = try await app.acquireTokenSilent(silent)
    silent.forceRefresh = true
    try bench.provider.fault(
      #"{"error": "interaction_required", "suberror": "basic_action", "#
        + #""description": "ada@contoso.example has to confirm"}"#)
    await #expect(throws: VaultError.self) { try await app.acquireTokenSilent(silent) }

    let texts = lines.texts
    let all = texts.joined(separator: "\n")
    #expect(all.contains("interaction_required") == (level >= .warning))
    #expect(texts.contains("silent: a token, from the cache") == (level >= .info))
    #expect(all.contains("POST \(bench.provider.url): 200") == (level >= .verbose))
    #expect(lines.all.withLock { $0.allSatisfy { $0.level <= level } })
    for secret in [
      result.accessToken.revealText(), result.idToken?.reveal() ?? "?", "code=", "state=", "ada@",
      "contoso", result.account.identifier,
    ] { #expect(!all.contains(secret)) }
  }
}
