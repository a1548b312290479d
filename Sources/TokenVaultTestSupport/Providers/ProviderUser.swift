/// A user who can sign in at a third-party provider.
package struct ProviderUser: Encodable, Sendable {
  /// The user name; the mail address is this name at example.com.
  package let name: String
  /// The password.
  package let password: String

  /// Creates a user.
  package init(_ name: String, password: String) {
    self.name = name
    self.password = password
  }

  /// The user of most tests.
  package static let ada = ProviderUser("ada", password: "correct horse")
  /// A second user.
  package static let bob = ProviderUser("bob", password: "battery staple")
}
