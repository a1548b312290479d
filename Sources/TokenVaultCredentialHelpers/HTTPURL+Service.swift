import TokenVaultModel
import TokenVaultSignIn

extension HTTPURL {
  /// The address of a service of Python's keyring, which may be any text.
  ///
  /// A URL is itself, and a host means https. Any other text gets an address below a host that
  /// cannot exist (RFC 2606 section 2), so that its secret is never an answer for a server. Nil for
  /// an http or https URL that is not one, such as a URL with user information, and for an empty
  /// text or one with a control character.
  init?(service text: String) {
    guard !text.isEmpty, !text.hasControlCharacters else { return nil }
    let scheme = text.prefix { $0 != ":" }.lowercased()
    if ["http", "https"].contains(scheme), text.contains("://") {
      self.init(text)
    } else if Self.isHost(String(text.prefix { $0 != "/" })), !text.contains("://") {
      self.init("https://" + text)
    } else {
      self.init("https://keyring.invalid/" + Self.encoded(text))
    }
  }

  /// A name without a dot or a port is not taken for a host, because most of them are names of
  /// applications; nor is one with capitals, which would be the same as one without.
  private static func isHost(_ text: String) -> Bool {
    guard text == text.lowercased(), let (name, port) = hostAndPort(text) else { return false }
    return name.contains(".") || name.contains(":") || port != nil || name == "localhost"
  }

  /// Everything is encoded but letters, digits, `-` and `_`: the path has one segment, which is
  /// neither `.` nor `..`.
  private static func encoded(_ text: String) -> String {
    let isPlain = { (byte: UInt8) in
      (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte)
        || "-_".utf8.contains(byte)
    }
    var ascii: [UInt8] = []
    for byte in text.utf8 {
      if isPlain(byte) {
        ascii.append(byte)
      } else {
        ascii.append(UInt8(ascii: "%"))
        ascii += Hexadecimal.encode([byte]).uppercased().utf8
      }
    }
    return String(decoding: ascii, as: UTF8.self)
  }
}
