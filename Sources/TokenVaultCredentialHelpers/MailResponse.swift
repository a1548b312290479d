import TokenVaultModel
import TokenVaultSignIn

/// The initial response of a SASL mechanism that takes a bearer token.
struct MailResponse {
  private let mechanism: String
  private let user: String?
  private let host: String?
  private let port: UInt16?

  /// Nil for `--mechanism token`, which is the bare token.
  init?(_ arguments: HelperArguments) throws(HelperUsageError) {
    mechanism = (try arguments.single("mechanism") ?? "token").lowercased()
    user = try arguments.single("user")
    host = try Self.host(arguments)?.host
    if let text = try arguments.single("port") {
      guard let port = UInt16(text), port > 0 else {
        throw .words("The value of --port is no number of a port.")
      }
      self.port = port
    } else {
      port = nil
    }
    guard ["token", "xoauth2", "oauthbearer"].contains(mechanism) else {
      throw .words("The option --mechanism is token, xoauth2 or oauthbearer.")
    }
    if mechanism == "token" { return nil }
  }

  /// The mail server and its address; nil without `--host`. A dot at the end is the root of the domain
  /// names and says nothing.
  static func host(
    _ arguments: HelperArguments
  ) throws(HelperUsageError) -> (host: String, address: HTTPURL)? {
    guard var host = try arguments.single("host")?.lowercased() else { return nil }
    if host.hasSuffix(".") { host.removeLast() }
    guard !host.hasSuffix("."), let parts = HTTPURL.hostAndPort(host), parts.port == nil,
      let address = HTTPURL("https://" + host)
    else { throw .words("The value of --host is not a host name.") }
    return (host, address)
  }

  /// The response before Base64; nil if there is no user name, or it has a control character, which
  /// ends a field.
  func text(token: String, username: String) -> String? {
    let name = user ?? username
    guard !name.isEmpty, !name.hasControlCharacters else { return nil }
    guard mechanism == "oauthbearer" else {
      return "user=\(name)\u{1}auth=Bearer \(token)\u{1}\u{1}"
    }
    // RFC 7628 section 3.1, with a GS2 header (RFC 5801 section 4).
    let escaped = name.replacing("=", with: "=3D").replacing(",", with: "=2C")
    var text = "n,a=\(escaped),\u{1}"
    if let host { text += "host=\(host)\u{1}" }
    if let port { text += "port=\(port)\u{1}" }
    return text + "auth=Bearer \(token)\u{1}\u{1}"
  }
}
