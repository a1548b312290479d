import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVaultSignIn

/// The time limit and the retries that an application configures.
@Suite(.timeLimit(.minutes(5))) struct HTTPSettingsTests {
  @Test(
    .parity(
      "MSALGlobalConfig.httpConfig", "MSALHTTPConfig.retryInterval",
      "MSALHTTPConfig.timeoutIntervalForRequest", "ClientApplication.timeout"))
  func theHTTPSettingsOfTheApplicationApplyToItsRequests() throws {
    // The application cancels during the pause before the retry.
    let cancellation = Cancellation()
    let provider = ScriptedProvider { _ throws(TransportError) in
      cancellation.cancel()
      throw .refused(host: "id.example")
    }
    let authority = try Authority("https://id.example")
    var application = ApplicationConfiguration(clientID: "app", authority: authority)
    application.requestTimeoutMilliseconds = 1234
    application.retryCount = 1
    application.retryIntervalMilliseconds = 86_400_000
    let endpoint = TokenEndpoint(
      application, at: try ProviderMetadata(json: description.bytes, of: authority),
      transport: provider, correlationID: "c-1", cancellation)
    #expect(throws: SignInError.cancelled) {
      try endpoint.refresh(
        Redacted("rt"), scopes: ScopeSet(["read"]), claims: nil, extra: FormParameters())
    }
    #expect(provider.requests.map(\.deadlineMilliseconds) == [1234])
  }
}
