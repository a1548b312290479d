import TokenVaultCrypto

/// Base64 with the standard alphabet (RFC 4648 section 4).
enum Base64Text {
  static func decode(_ text: String) -> [UInt8]? {
    var digits = text.utf8.filter { !" \t\r\n".utf8.contains($0) }
    while digits.last == UInt8(ascii: "=") { digits.removeLast() }
    guard !digits.contains(where: { "-_".utf8.contains($0) }) else { return nil }
    return Base64URL.decode(
      String(
        decoding: digits.map { byte -> UInt8 in
          byte == UInt8(ascii: "+")
            ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
        }, as: UTF8.self))
  }
}
