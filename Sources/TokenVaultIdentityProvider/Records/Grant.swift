/// One sign-in. All tokens that come from it form the family that a reused refresh token revokes.
struct Grant {
  var realm: Realm
  var username: String
  var client: String
  var scopes: [String]
  var claims: String?
  var authTime: Double
  var isRevoked = false
}
