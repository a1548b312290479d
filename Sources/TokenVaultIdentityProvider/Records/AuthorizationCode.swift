/// An authorization code (RFC 6749 section 4.1.2).
struct AuthorizationCode {
  var flow: Flow
  var expires: Double
  /// The index of the grant that the code was exchanged for.
  var grant: Int?
  var isUsed = false
}
