import Glibc
import TokenVaultCrypto

/// How many guesses a new passphrase takes at most. It knows no words: a passphrase of words takes
/// fewer guesses than it says.
struct PassphraseStrength {
  /// The least number of characters of a passphrase without `--weak`.
  static let least = 8

  let characters: Int
  /// The binary logarithm of the number of guesses if each character was chosen at random among
  /// those of its kind. A character that repeats or continues the one before it adds none.
  let bits: Int

  var isAcceptable: Bool { characters >= Self.least }

  var text: String {
    let word = !isAcceptable || bits < 50 ? "weak" : bits < 75 ? "fair" : "strong"
    return "\(word), \(bits) bits at most."
  }

  init(_ passphrase: borrowing SecretBytes) {
    var (characters, fresh) = (0, 0)
    var kinds: Set<Int> = []
    unsafe passphrase.withUnsafeBytes { bytes in
      var before = -2
      for index in bytes.indices {
        let byte = unsafe bytes[index]
        // The first byte of a character.
        guard byte & 0xc0 != 0x80 else { continue }
        characters += 1
        if abs(Int(byte) - before) > 1 { fresh += 1 }
        before = Int(byte)
        kinds.insert(Self.kind(byte))
      }
    }
    self.characters = characters
    bits = kinds.isEmpty ? 0 : Int(Double(fresh) * log2(Double(kinds.reduce(0, +))))
  }

  /// The number of characters of the kind of this one. The numbers differ, so each stands for its
  /// kind.
  private static func kind(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): 26
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): 27
    case UInt8(ascii: "0")...UInt8(ascii: "9"): 10
    case 0..<0x80: 33
    default: 100
    }
  }
}
