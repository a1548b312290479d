struct AccessToken {
  /// The index of the grant.
  var grant: Int
  var username: String
  var client: String
  var tenant: String
  var scopes: [String]
  var audience: String
  var claims: String?
  var expires: Double
  /// The thumbprint of the key that the token is bound to; nil for a bearer token.
  var keyID: String?
}
