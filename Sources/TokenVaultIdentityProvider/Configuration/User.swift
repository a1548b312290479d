/// A user who can sign in.
struct User {
  var username: String
  var name: String
  var objectID: String
  var tenant: String
  /// The user's object IDs as a guest, by tenant.
  var guestIn: [String: String] = [:]
  /// Whether the home tenant is a directory of customers: Azure AD B2C or Entra External ID.
  var isB2C = false

  func objectID(in tenant: String) -> String { guestIn[tenant] ?? objectID }
}
