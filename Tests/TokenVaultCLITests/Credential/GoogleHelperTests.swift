import Foundation
import Testing
import TokenVaultTestSupport

/// The executable of Google's external accounts with an account that is signed in.
@Suite(.timeLimit(.minutes(5)))
struct GoogleHelperTests {
  /// Google's libraries read both streams as one text.
  @Test(arguments: ["id_token", "jwt"])
  func theAnswerIsJSONWithNothingOnStandardError(type: String) throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let run = try home.run(
      """
      export GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE=//iam.googleapis.com/pool
      export GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE=urn:ietf:params:oauth:token-type:\(type)
      tokenvault credential google -v --scope User.Read
      """)
    let answer =
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any] ?? [:]
    #expect(answer["success"] as? Bool == true, "\(answer["message"] ?? "")")
    let token = answer["id_token"] as? String ?? ""
    #expect(token.split(separator: ".").count == 3)
    let own = try home.json("tokenvault token --scope User.Read --json")["accessToken"] as? String
    #expect((token == own) == (type == "jwt"))
    #expect(run.errors.isEmpty, "\(run.errors)")
  }
}
