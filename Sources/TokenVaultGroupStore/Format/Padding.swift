/// Pads plaintexts to size classes, so that the size of a sealed row reveals little about its
/// content: 256, 512, 1024, 2048 or 4096 bytes, then multiples of 4096.
enum Padding {
  /// Returns the plaintext's length (four bytes, big-endian), the plaintext, and zeros up to the
  /// size class.
  /// - Throws: ``StoreError/tooLarge(limit:)`` above `Format.largestPlaintext`.
  static func pad(_ plaintext: [UInt8]) throws(StoreError) -> [UInt8] {
    guard plaintext.count <= Format.largestPlaintext else {
      throw .tooLarge(limit: Format.largestPlaintext)
    }
    let count = plaintext.count + 4
    let size = [256, 512, 1024, 2048].first { count <= $0 } ?? (count + 4095) / 4096 * 4096
    var padded: [UInt8] = []
    padded.reserveCapacity(size)
    padded += UInt32(plaintext.count).bigEndianBytes
    padded += plaintext
    padded += repeatElement(0, count: size - count)
    return padded
  }

  /// Returns the plaintext. It reuses the memory of `padded`.
  static func unpad(_ padded: consuming [UInt8]) throws(StoreError) -> [UInt8] {
    guard padded.count >= 4 else { throw .damaged(rows: nil) }
    let count = padded[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard count <= padded.count - 4, hasOnlyZeros(padded, from: 4 + count) else {
      throw .damaged(rows: nil)
    }
    padded.removeLast(padded.count - 4 - count)
    padded.removeFirst(4)
    return padded
  }

  /// Without a branch for each byte, of which a listing has millions.
  private static func hasOnlyZeros(_ bytes: [UInt8], from start: Int) -> Bool {
    let padding = bytes.span.extracting(start...)
    var bits: UInt8 = 0
    for index in padding.indices { bits |= padding[index] }
    return bits == 0
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, most significant first.
  var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: self >> $0)
    }
  }
}
