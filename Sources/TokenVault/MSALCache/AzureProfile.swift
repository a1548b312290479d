/// The content of Azure CLI's `azureProfile.json` about the accounts in the token cache beside it:
/// the users of the subscriptions, and the default subscription.
package struct AzureProfile: Hashable, Sendable {
  /// A user in a tenant.
  package struct User: Hashable, Sendable {
    /// The user name.
    package let username: String
    /// The tenant whose tokens give access to the subscription.
    package let tenantID: String

    /// A user with both properties given.
    package init(username: String, tenantID: String) {
      self.username = username
      self.tenantID = tenantID
    }
  }

  /// The user of the default subscription; nil if there is none, or if it does not belong to a
  /// person.
  package let defaultUser: User?
  /// Every pair of user and tenant, without duplicates, in the order of the file.
  package let users: [User]

  /// Reads the file, which may begin with a byte order mark, as Azure CLI writes it.
  ///
  /// Service principals and managed identities are not accounts and are skipped.
  /// - Throws: ``MSALCacheError`` if the file has more than 64 MiB, is not JSON, or is malformed.
  package init(json: [UInt8]) throws(MSALCacheError) {
    guard json.count <= MSALCache.fileLimit else { throw .tooLarge(limit: MSALCache.fileLimit) }
    let file: JSONValue
    do { file = try JSONValue(parsing: json) } catch { throw MSALCacheError(error) }
    guard let subscriptions = file["subscriptions"] else { throw .notACache }
    guard let elements = subscriptions.elements else { throw .badMember(.subscriptions) }

    var users: [User] = []
    var seen = Set<User>()
    var defaultUser: User?
    for (index, element) in elements.enumerated() {
      let subscription = try Entity(element, member: .subscriptions, index: index, key: "")
      guard let user = subscription["user"], user["type"]?.text == "user",
        let username = user["name"]?.text, !username.isEmpty
      else { continue }
      guard username.utf8.count <= MSALCache.nameLimit, !username.hasControlCharacters else {
        throw .invalidText(member: .subscriptions, index: index, field: .user)
      }
      let found = User(username: username, tenantID: try subscription.requiredName(.tenantID))
      if seen.insert(found).inserted { users.append(found) }
      if subscription["isDefault"] == .bool(true) { defaultUser = defaultUser ?? found }
    }
    self.users = users
    self.defaultUser = defaultUser
  }

  /// The user names found in a tenant.
  package func usernames(tenantID: String) -> [String] {
    users.filter { $0.tenantID.lowercased() == tenantID.lowercased() }.map(\.username)
  }
}
