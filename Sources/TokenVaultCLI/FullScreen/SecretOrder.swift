/// A password or token to store for a service.
struct SecretOrder: Hashable, Sendable {
  var service = ""
  var username = ""
  var secret: HiddenText?
  /// As on the command line; empty for none.
  var expires = ""
  /// Whether it may replace the one that the user name has at the service.
  var replaces = false
}
