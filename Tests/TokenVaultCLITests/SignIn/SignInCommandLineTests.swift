import Testing
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

@testable import TokenVault
@testable import TokenVaultCLI

/// The commands that are suggested after a request that cannot be served.
@Suite(.timeLimit(.minutes(2))) struct SignInCommandLineTests {
  private static let cache = """
    {"RefreshToken": {"r": {"credential_type": "RefreshToken", "secret": "fake", "client_id": "c1",
      "home_account_id": "o1.t1", "environment": "login.microsoftonline.com"}},
    "Account": {"a": {"home_account_id": "o1.t1", "environment": "login.microsoftonline.com",
      "realm": "t1", "local_account_id": "o1", "username": "ada", "authority_type": "MSSTS"}}}
    """

  @Test(arguments: [
    ("https://login.microsoftonline.com", "https://login.microsoftonline.com/t1"),
    ("https://id.example:8443", "https://id.example:8443/t1"),
    ("https://id.example/realms/one", "https://id.example/realms/one"),
  ])
  func aTokenOfAnotherServerNamesTheSignInThere(issuer: String, authority: String) throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(MSALCache(json: Array(Self.cache.utf8)))
    let line = SignInCommandLine(TokenRequest(scopes: ScopeSet(["User.Read"])), claims: nil)
    let failure = #expect(throws: Failure.self) {
      try line.suggested(in: session, of: .named("ada")) {
        throw VaultError.signIn(
          .issuedElsewhere(issuer: issuer, requested: "https://other.example"))
      }
    }
    #expect(failure?.status == .signInNeeded)
    #expect(
      failure?.next
        == "tokenvault sign-in --client-id c1 --authority \(authority) --scope User.Read "
        + "--login-hint ada")
  }
}
