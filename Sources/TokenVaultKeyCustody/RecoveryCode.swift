package import TokenVaultCrypto

/// A printed code that opens a group when its keyring is lost: 160 random bits and a checksum in
/// the base32 of Douglas Crockford, in groups of five characters: `XXXXX-XXXXX-…`.
///
/// The checksum detects every single wrong character and every swap of two neighbours.
package struct RecoveryCode: ~Copyable, Sendable {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let info = Array("tokenvault recovery code".utf8)
  private static let digits = 32
  private static let checks = 3

  /// The 160 bits, five to a byte.
  private let values: SecretBytes

  /// A fresh code.
  package static func make() throws(CustodyError) -> RecoveryCode {
    var values = try crypto { () throws(CryptoError) in try SecretBytes.random(count: digits) }
    unsafe values.withUnsafeMutableBytes {
      for index in $0.indices { unsafe $0[index] &= 31 }
    }
    return RecoveryCode(values: values)
  }

  /// Reads a typed code. Case does not matter; spaces, dashes and line ends may stand anywhere; O
  /// counts as 0, I and L as 1. Throws `badRecoveryCode`.
  package static func parse(_ text: borrowing SecretBytes) throws(CustodyError) -> RecoveryCode {
    var values = try crypto { () throws(CryptoError) in try SecretBytes(count: digits) }
    var sums = Checksum()
    var typedChecks = Checksum()
    var count = 0
    let isCode = unsafe text.withUnsafeBytes { text in
      unsafe values.withUnsafeMutableBytes { values in
        for index in text.indices {
          let character = unsafe text[index]
          if separators.contains(character) { continue }
          guard let value = value(of: character), count < digits + checks else { return false }
          if count < digits {
            unsafe values[count] = value
            sums.add(value)
          } else {
            typedChecks.shift(in: value)
          }
          count += 1
        }
        return count == digits + checks && sums == typedChecks
      }
    }
    guard isCode else { throw .badRecoveryCode }
    return RecoveryCode(values: values)
  }

  /// The code in printed form: 35 characters in seven groups, 41 bytes of ASCII.
  package borrowing func printable() throws(CustodyError) -> SecretBytes {
    let length = Self.digits + Self.checks
    var text = try crypto { () throws(CryptoError) in
      try SecretBytes(count: length + length / 5 - 1)
    }
    unsafe values.withUnsafeBytes { values in
      var sums = Checksum()
      for index in values.indices { sums.add(unsafe values[index]) }
      unsafe text.withUnsafeMutableBytes { text in
        for position in 0..<length {
          let value =
            position < Self.digits ? unsafe values[position] : sums.values[position - Self.digits]
          unsafe text[position + position / 5] = Self.alphabet[Int(value)]
          if position % 5 == 4, position + 1 < length {
            unsafe text[position + position / 5 + 1] = UInt8(ascii: "-")
          }
        }
      }
    }
    return text
  }

  /// The key-encryption key of the recovery slot: 32 bytes of HKDF-SHA-256 over the code. A slow
  /// derivation is not needed, because 160 bits cannot be guessed.
  package borrowing func keyEncryptionKey(salt: [UInt8]) throws(CustodyError) -> SecretBytes {
    try crypto(values) { (values) throws(CryptoError) in
      try KeyDerivation.hkdfSHA256(values, salt: salt, info: Self.info, count: groupKeySize)
    }
  }

  private static let separators = Array(" -\t\r\n".utf8)

  private static func value(of character: UInt8) -> UInt8? {
    let isLower = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
    switch isLower ? character - 32 : character {
    case UInt8(ascii: "O"): return 0
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    case let upper: return alphabet.firstIndex(of: upper).map { UInt8($0) }
    }
  }

  /// Three sums over GF(32), of the characters times powers of 1, a and a²: the first detects a
  /// wrong character, the second a swap, and of other mistakes one in 32,768 goes undetected.
  private struct Checksum: Equatable {
    var values: [UInt8] = [0, 0, 0]

    mutating func add(_ value: UInt8) {
      for index in values.indices { values[index] = timesAlpha(values[index], index) ^ value }
    }

    mutating func shift(in value: UInt8) { values = [values[1], values[2], value] }

    /// Multiplies by a^`power` in GF(32) with x⁵ + x² + 1.
    private func timesAlpha(_ value: UInt8, _ power: Int) -> UInt8 {
      var value = value
      for _ in 0..<power {
        value <<= 1
        if value & 32 != 0 { value ^= 37 }
      }
      return value
    }
  }
}
