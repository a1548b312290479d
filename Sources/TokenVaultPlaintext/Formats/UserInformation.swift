/// The user name and the password in a URL (RFC 3986 section 3.2.1).
struct UserInformation {
  let scheme: String
  let username: String
  let password: String
  /// The host, with its port if there is one.
  let host: String
  /// What follows the host, up to a query.
  let path: String
  /// The places of the password with its colon, in the text.
  let passwordRange: Range<Int>

  /// Nil if there is no password, unless the user name looks like a token.
  init?(_ text: ArraySlice<UInt8>) {
    let bytes = Array(text)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[colon...].starts(with: "://".utf8)
    else { return nil }
    let start = colon + 3
    let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")),
      let username = Self.decoded(bytes[start..<at].prefix { $0 != UInt8(ascii: ":") }),
      let host = String(validating: bytes[(at + 1)..<end], as: UTF8.self),
      let scheme = String(validating: bytes[..<colon], as: UTF8.self),
      let path = String(
        validating: bytes[end...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") },
        as: UTF8.self)
    else { return nil }
    let separator = bytes[start..<at].firstIndex(of: UInt8(ascii: ":")) ?? at
    guard let password = Self.decoded(bytes[min(separator + 1, at)..<at]),
      !password.isEmpty || PlaintextSecret.looksLikeToken(username)
    else { return nil }
    self.scheme = scheme.lowercased()
    self.username = username
    self.password = password
    self.host = host
    self.path = path
    passwordRange = (text.startIndex + separator)..<(text.startIndex + at)
  }

  /// The text with its percent-encoding undone; nil if that is not UTF-8.
  static func decoded(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.first {
      if byte == UInt8(ascii: "%"), rest.count >= 3,
        let value = UInt8(
          String(decoding: rest[(rest.startIndex + 1)...(rest.startIndex + 2)], as: UTF8.self),
          radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
