/// An authorization request that waits for the user.
struct Flow {
  var realm: Realm
  var client: String
  var redirectURI = ""
  var state: String?
  var nonce: String?
  var challenge = ""
  var scopes: [String]
  var claims: String?
  var prompts: Set<String> = []
  var loginHint: String?
  var domainHint: String?
  var maxAge: Double?
  var username: String?
  var authTime = 0.0
  /// Whether an administrator consents for all users of the tenant.
  var isAdminConsent = false
  /// The user code, if a device waits for the answer instead of a browser.
  var device: String?
}
