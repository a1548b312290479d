/// A signal that arrived.
struct DBusSignal {
  let path: String
  let member: String
  let signature: String
  /// Where its body is in the buffer of the connection.
  let body: Range<Int>
}
