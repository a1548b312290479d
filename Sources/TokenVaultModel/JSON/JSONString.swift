/// Text as a JSON string (RFC 8259 section 7).
package enum JSONString {
  /// Appends `text` in quotation marks, with quotation marks, backslashes and control characters
  /// escaped. DEL is escaped, too, because terminals act on it.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    if text.utf8.contains(where: needsEscape) {
      for byte in text.utf8 { append(byte, to: &bytes) }
    } else {
      // Almost every text: copied at once, which a listing of 10,000 accounts notices.
      bytes.append(contentsOf: text.utf8)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends the escape `\uXXXX` of a UTF-16 code unit.
  package static func appendEscape(of unit: UInt16, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    bytes.append(UInt8(ascii: "u"))
    for shift in [12, 8, 4, 0] as [UInt16] {
      bytes.append(Hexadecimal.digit(UInt8(unit >> shift & 15)))
    }
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5c || byte == 0x7f
  }

  private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    } else if needsEscape(byte) {
      appendEscape(of: UInt16(byte), to: &bytes)
    } else {
      bytes.append(byte)
    }
  }
}
