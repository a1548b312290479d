package import TokenVaultCrypto

extension Base64URL {
  /// Base64 with the standard alphabet and padding (RFC 4648 section 4).
  static func standard(_ bytes: [UInt8]) -> String {
    let text = encode(bytes).utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    let padding = repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    return String(decoding: text + padding, as: UTF8.self)
  }

  /// The bytes of a text in the standard alphabet, with or without padding; nil for any other.
  package static func decodeStandard(_ text: String) -> [UInt8]? {
    let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
    guard text.utf8.count - digits.count <= 2, !digits.contains(where: { "-_".utf8.contains($0) })
    else { return nil }
    return decode(
      String(
        decoding: digits.map { byte -> UInt8 in
          switch byte {
          case UInt8(ascii: "+"): UInt8(ascii: "-")
          case UInt8(ascii: "/"): UInt8(ascii: "_")
          default: byte
          }
        }, as: UTF8.self))
  }
}
