/// The part of a JSON string up to the next byte that needs attention. Caches consist of long tokens, so
/// it looks at eight bytes at once.
package enum PlainRun {
  private static let each: UInt64 = 0x0101_0101_0101_0101
  private static let high: UInt64 = 0x8080_8080_8080_8080

  /// The position of the first quotation mark, backslash or control character from `start` on; the
  /// number of bytes if there is none.
  package static func end(in bytes: [UInt8], from start: Int) -> Int {
    unsafe bytes.withUnsafeBytes { bytes in
      var at = start
      while at + 8 <= bytes.count {
        let word = UInt64(
          littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        // The lowest of the marked bytes is one of those; a mark above it may be a borrow's.
        let marks =
          (zeros(word ^ (each &* 0x22)) | zeros(word ^ (each &* 0x5c))
            | ((word &- each &* 0x20) & ~word)) & high
        if marks != 0 { return at + marks.trailingZeroBitCount / 8 }
        at += 8
      }
      while at < bytes.count, unsafe isPlain(bytes[at]) { at += 1 }
      return at
    }
  }

  /// Marks the bytes that are zero in their highest bit.
  private static func zeros(_ word: UInt64) -> UInt64 { (word &- each) & ~word }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}
