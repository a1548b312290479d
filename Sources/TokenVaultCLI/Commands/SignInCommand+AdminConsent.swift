import TokenVault
import TokenVaultModel

extension SignInCommand {
  /// Waits until an administrator has consented in the browser, and prints the tenant.
  func consent(
    _ terms: SignInTerms, _ acquisition: Acquisition, _ patience: Duration,
    in invocation: Invocation
  ) throws {
    let scopes = ScopeSet(terms.scopes.scopes + extraScope)
    let application = terms.application
    try invocation.register(application.redirectURI)
    let tenant = try acquisition.adminConsent(
      scopes, application, deadlineMilliseconds: Int(patience.seconds) * 1000)
    guard global.json else {
      return try invocation.answer(
        "consent given  \(PlainText.escaped(application.clientID))  for the tenant \(tenant)")
    }
    try invocation.answerJSON { writer in
      writer.object {
        $0.field("clientId", application.clientID)
        $0.field("tenantId", tenant)
        $0.field("scopes", scopes.scopes)
      }
    }
  }
}
