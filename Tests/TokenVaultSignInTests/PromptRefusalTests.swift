import Testing
import TokenVaultSignIn

/// The errors that a provider without an account picker returns.
@Suite(.timeLimit(.minutes(1))) struct PromptRefusalTests {
  @Test func anInvalidRequestWithAnotherFaultIsNoRefusalOfThePrompt() {
    func refuses(_ text: String, _ numbers: [Int64] = [], code: String = "invalid_request") -> Bool
    {
      OAuthError(code: code, text: text, numbers: numbers).refusesPrompt
    }
    #expect(refuses(""))
    #expect(refuses("The request is malformed."))
    #expect(refuses("Unsupported prompt for this scope."))
    #expect(refuses("AADSTS90023: a value is not supported.", [90023]))
    #expect(refuses("", code: "account_selection_required"))
    #expect(!refuses("The code_challenge is missing."))
    #expect(!refuses("AADSTS50011: the address does not match.", [50011]))
    #expect(!refuses("", code: "invalid_scope"))
    #expect(!OAuthError(code: "invalid_request", status: 400).refusesPrompt)
  }
}
