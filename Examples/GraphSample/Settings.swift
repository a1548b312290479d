import Foundation

/// What the registration of the application says, and which group it shares.
struct Settings: Decodable {
  /// The application (client) id of the registration.
  var clientID: String
  /// Who signs people in.
  var authority: String
  /// As registered: `http://localhost` with Microsoft, `http://127.0.0.1/` with most others.
  var redirectURI: String
  /// The scopes that the program asks for.
  var scopes: [String]
  /// The keychain group, which has to have this program among its members.
  var group: String
  /// Where Microsoft Graph is; another address in another cloud, or in a test.
  var graph: String
  /// Azure AD B2C: the authority of the policy that resets a password.
  var passwordReset: String?

  init(file: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: file)))
  }
}
