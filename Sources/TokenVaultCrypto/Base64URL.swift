/// Base64 with the URL alphabet and no padding (RFC 4648, section 5).
///
/// Each value has exactly one encoding: decoding rejects padding, characters outside the alphabet,
/// and unused trailing bits that are not zero. Characters are computed instead of looked up,
/// because table lookups leak a key through the processor's cache.
package enum Base64URL {
  /// Encodes `bytes`.
  package static func encode(_ bytes: [UInt8]) -> String {
    var ascii = [UInt8](repeating: 0, count: encodedSize(bytes.count))
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe ascii.withUnsafeMutableBytes { unsafe encode(bytes, into: $0) }
    }
    return String(decoding: ascii, as: UTF8.self)
  }

  /// Decodes `text`; returns nil unless `text` is the canonical encoding of some bytes.
  package static func decode(_ text: String) -> [UInt8]? {
    let ascii = Array(text.utf8)
    var bytes = [UInt8](repeating: 0, count: decodedSize(ascii.count))
    let isCanonical = unsafe ascii.withUnsafeBytes { ascii in
      unsafe bytes.withUnsafeMutableBytes { unsafe decode(ascii, into: $0) }
    }
    return isCanonical ? bytes : nil
  }

  /// Encodes a secret; the result is ASCII in locked memory.
  package static func encodeSecret(
    _ bytes: borrowing SecretBytes
  ) throws(CryptoError) -> SecretBytes {
    var ascii = try SecretBytes(count: encodedSize(bytes.count))
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe ascii.withUnsafeMutableBytes { unsafe encode(bytes, into: $0) }
    }
    return ascii
  }

  /// Decodes a secret from ASCII.
  /// - Throws: `badParameters` unless `ascii` is a canonical encoding.
  package static func decodeSecret(
    _ ascii: borrowing SecretBytes
  ) throws(CryptoError) -> SecretBytes {
    var bytes = try SecretBytes(count: decodedSize(ascii.count))
    let isCanonical = unsafe ascii.withUnsafeBytes { ascii in
      unsafe bytes.withUnsafeMutableBytes { unsafe decode(ascii, into: $0) }
    }
    guard isCanonical else { throw .badParameters }
    return bytes
  }

  private static func encodedSize(_ count: Int) -> Int { (count * 8 + 5) / 6 }

  private static func decodedSize(_ count: Int) -> Int { count * 6 / 8 }

  private static func encode(
    _ bytes: UnsafeRawBufferPointer, into ascii: UnsafeMutableRawBufferPointer
  ) {
    var bits: UInt32 = 0
    var pending = 0
    var next = 0
    for index in bytes.indices {
      bits = bits << 8 | UInt32(unsafe bytes[index])
      pending += 8
      while pending >= 6 {
        pending -= 6
        unsafe ascii[next] = character(bits >> pending & 63)
        next += 1
      }
    }
    if pending > 0 { unsafe ascii[next] = character(bits << (6 - pending) & 63) }
  }

  private static func decode(
    _ ascii: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer
  ) -> Bool {
    var bits: UInt32 = 0
    var pending = 0
    var next = 0
    var foreign: UInt32 = 0
    for index in ascii.indices {
      let value = sextet(UInt32(unsafe ascii[index]))
      foreign |= value & ~63
      bits = bits << 6 | value & 63
      pending += 6
      if pending >= 8 {
        pending -= 8
        unsafe bytes[next] = UInt8(truncatingIfNeeded: bits >> pending)
        next += 1
      }
    }
    // Six leftover bits mean one character too many. Fewer leftover bits must all be zero.
    return foreign == 0 && pending < 6 && bits & (1 << pending - 1) == 0
  }

  private static func character(_ value: UInt32) -> UInt8 {
    let code =
      value &+ 65 &+ (after(value, 25) & 6) &- (after(value, 51) & 75)
      &- (after(value, 61) & 13) &+ (after(value, 62) & 49)
    return UInt8(truncatingIfNeeded: code)
  }

  /// The six bits that a character stands for, or all ones outside the alphabet.
  private static func sextet(_ code: UInt32) -> UInt32 {
    let known =
      among(code, 65...90, code &- 64) | among(code, 97...122, code &- 70)
      | among(code, 48...57, code &+ 5) | among(code, 45...45, 63) | among(code, 95...95, 64)
    return known &- 1
  }

  /// All ones if `a` is greater than `b`, otherwise zero, without a branch.
  private static func after(_ a: UInt32, _ b: UInt32) -> UInt32 { 0 &- ((b &- a) >> 31) }

  private static func among(
    _ code: UInt32, _ range: ClosedRange<UInt32>, _ value: UInt32
  ) -> UInt32 {
    value & ~after(range.lowerBound, code) & ~after(code, range.upperBound)
  }
}
