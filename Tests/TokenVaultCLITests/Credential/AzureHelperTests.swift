import Foundation
import Testing
import TokenVaultTestSupport

/// The stand-ins for az and azd with the real azure-identity.
@Suite(.timeLimit(.minutes(5)))
struct AzureHelperTests {
  private let home: SignInHome
  private let python: String

  init() throws {
    home = try SignInHome()
    python = try PythonPeer().interpreter.path
    let program = try BuiltProduct("tokenvault").url
    let bin = home.home.directory.appending(path: "bin")
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    for name in ["az", "azd"] {
      try FileManager.default.createSymbolicLink(
        at: bin.appending(path: name), withDestinationURL: program)
    }
  }

  /// Prints the token of a credential, or the class and the text of the error.
  private func token(_ credential: String, _ arguments: String = "") throws -> ShellHome.Run {
    try home.run(
      """
      export PATH="$HOME/bin:$PATH"
      exec \(python) -B - <<'END'
      import azure.core.exceptions, azure.identity
      try:
          got = azure.identity.\(credential)(\(arguments)).get_token(
              "https://graph.microsoft.com/.default")
          print(got.token, got.expires_on)
      except azure.core.exceptions.ClientAuthenticationError as error:
          print(type(error).__name__, error)
      END
      """)
  }

  @Test(arguments: ["AzureCliCredential", "AzureDeveloperCliCredential"])
  func theSDKGetsTheTokenOfTheCurrentAccount(credential: String) throws {
    #expect(try home.signIn().status == 0)
    let run = try token(credential)
    let own = try home.json("tokenvault token --resource https://graph.microsoft.com --json")
    let words = run.output.split(whereSeparator: \.isWhitespace)
    #expect(words.first.map(String.init) == own["accessToken"] as? String, "\(run.output)")
    let end = try #require(own["expiresOn"] as? String)
    let time = try #require(ISO8601DateFormatter().date(from: end)?.timeIntervalSince1970)
    #expect(words.last.flatMap { Double($0) } == time, "\(run.output)")
  }

  /// A chain of credentials goes on with the next one.
  @Test(arguments: ["AzureCliCredential", "AzureDeveloperCliCredential"])
  func withoutASignInTheCredentialIsUnavailable(credential: String) throws {
    let run = try token(credential)
    #expect(run.output.hasPrefix("CredentialUnavailableError"), "\(run.output)")
  }
}
