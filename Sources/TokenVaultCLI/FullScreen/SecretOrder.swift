/// A password or token to store for a service.
struct SecretOrder: Hashable, Sendable {
  var service = ""
  var username = ""
  var secret: HiddenText?
  /// Whether it may replace the one that the user name has at the service.
  var replaces = false
}
