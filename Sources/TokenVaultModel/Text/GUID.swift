/// The text form of a GUID (RFC 9562 section 4): 32 hexadecimal digits in groups of 8-4-4-4-12.
package enum GUID {
  /// How many bytes the text has.
  package static let length = 36

  /// Whether the UTF-8 bytes are those of a GUID, in either case. Version and variant are not
  /// checked: Microsoft Entra assigns GUIDs that follow neither.
  package static func isValid(_ text: some Collection<UInt8>) -> Bool {
    guard text.count == length else { return false }
    return text.enumerated().allSatisfy { index, byte in
      switch index {
      case 8, 13, 18, 23: byte == UInt8(ascii: "-")
      default: Hexadecimal.value(of: byte) != nil
      }
    }
  }
}
