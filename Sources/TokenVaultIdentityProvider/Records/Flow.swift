/// An authorization request that waits for a person.
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
  /// The user code, when a device waits for the answer in place of a browser.
  var device: String?
}

/// An authorization code (RFC 6749 section 4.1.2).
struct Code {
  var flow: Flow
  var expires: Double
  /// What was issued for it; the code is used up then.
  var grant: Int?
  var isUsed = false
}

/// What one sign-in allowed: all tokens that come from it, the "family" that reuse kills.
struct Grant {
  var realm: Realm
  var username: String
  var client: String
  var scopes: [String]
  var claims: String?
  var authTime: Double
  var isRevoked = false
}

struct RefreshToken {
  var grant: Int
  var client: String
  /// Microsoft's family of clients.
  var family: String?
  var expires: Double
  var isUsed = false
}

struct AccessToken {
  var grant: Int
  var username: String
  var client: String
  var tenant: String
  var scopes: [String]
  var audience: String
  var claims: String?
  var expires: Double
  /// The key that the token is bound to; nil for a bearer token.
  var keyID: String?
}

/// A device authorization (RFC 8628).
struct Device {
  enum Answer { case pending, approved(username: String), denied, used }

  var code: String
  var realm: Realm
  var client: String
  var scopes: [String]
  var expires: Double
  var interval: Double
  var lastPoll: Double?
  var answer = Answer.pending
}
