/// The destination and the signature of a method call.
struct DBusCall {
  var destination: String
  let path: String
  let interface: String
  let member: String
  let signature: String

  /// The well-known name of the Secret Service.
  static let secretService = "org.freedesktop.secrets"

  static func bus(_ member: String, _ signature: String = "") -> DBusCall {
    DBusCall(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: member, signature: signature)
  }

  static func secrets(
    _ member: String, _ signature: String = "", path: String = "/org/freedesktop/secrets",
    interface: String = "org.freedesktop.Secret.Service"
  ) -> DBusCall {
    DBusCall(
      destination: secretService, path: path, interface: interface, member: member,
      signature: signature)
  }
}
