import Foundation

/// The settings of the application's registration, and the group that it shares.
struct Settings: Decodable {
  /// The application (client) id of the registration.
  var clientID: String
  /// The authority that signs users in.
  var authority: String
  /// As registered: `http://localhost` with Microsoft, `http://127.0.0.1/` with most other
  /// providers.
  var redirectURI: String
  /// The scopes that the program requests.
  var scopes: [String]
  /// The keychain group; this program must be one of its members.
  var group: String
  /// The address of Microsoft Graph. National clouds and tests have another one.
  var graph: String
  /// Further authorities of the application, such as a custom domain.
  var knownAuthorities: [String]?
  /// Azure AD B2C: the authority of the policy that resets passwords.
  var passwordReset: String?

  init(file: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: file)))
  }
}
