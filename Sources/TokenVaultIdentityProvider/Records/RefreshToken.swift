struct RefreshToken {
  /// The index of the grant.
  var grant: Int
  var client: String
  /// Microsoft's family of client IDs, whose clients share refresh tokens.
  var family: String?
  var expires: Double
  var isUsed = false
}
