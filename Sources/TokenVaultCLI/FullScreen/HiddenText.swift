import Synchronization
import TokenVaultCrypto

/// A secret while it is typed: in locked memory, never shown, and wiped when it is released.
///
/// The copies of a form share one; two are never equal.
final class HiddenText: Sendable {
  private struct Typed: ~Copyable {
    var bytes: SecretBytes
    var count = 0
    /// Whether a pasted line has ended.
    var hasEnded = false
    var hasSeveralLines = false
    var isTooLong = false
  }
  private let typed: Mutex<Typed>

  /// Nil if no memory can be locked.
  init?() {
    // absent is an answer: the caller reports that the secret cannot be typed here.
    do { typed = Mutex(Typed(bytes: try SecretBytes(count: PassphraseReading.limit))) } catch {
      return nil
    }
  }

  /// The number of characters.
  var count: Int {
    typed.withLock { typed in
      unsafe typed.bytes.withUnsafeBytes { bytes in
        var count = 0
        for index in 0..<typed.count where unsafe bytes[index] & 0xc0 != 0x80 { count += 1 }
        return count
      }
    }
  }

  /// Whether text was pasted after the end of a line.
  var hasSeveralLines: Bool { typed.withLock { $0.hasSeveralLines } }

  /// Whether text was typed that does not fit. It is missing, and only typing anew mends that.
  var isTooLong: Bool { typed.withLock { $0.isTooLong } }

  /// The secret, in ordinary memory.
  var revealed: Redacted<[UInt8]> {
    typed.withLock { typed in
      unsafe Redacted(typed.bytes.withUnsafeBytes { unsafe Array($0.prefix(typed.count)) })
    }
  }

  /// Text is added and taken away at the end only.
  func take(_ key: Key) {
    switch key {
    // The line end after a pasted line is no part of the secret.
    case .pasted("\n"): typed.withLock { $0.hasEnded = true }
    case .character(let scalar), .pasted(let scalar): append(scalar)
    case .erase: erase()
    case .eraseLine:
      typed.withLock {
        ($0.count, $0.hasEnded, $0.hasSeveralLines, $0.isTooLong) = (0, false, false, false)
      }
    default: break
    }
  }

  private func append(_ scalar: Unicode.Scalar) {
    let character = Array(String(scalar).utf8)
    typed.withLock { typed in
      guard typed.count + character.count <= PassphraseReading.limit else {
        typed.isTooLong = true
        return
      }
      let start = typed.count
      unsafe typed.bytes.withUnsafeMutableBytes { bytes in
        for (offset, byte) in character.enumerated() { unsafe bytes[start + offset] = byte }
      }
      typed.count += character.count
      typed.hasSeveralLines = typed.hasSeveralLines || typed.hasEnded
    }
  }

  private func erase() {
    typed.withLock { typed in
      var count = typed.count
      unsafe typed.bytes.withUnsafeBytes { bytes in
        while count > 0 {
          count -= 1
          if unsafe bytes[count] & 0xc0 != 0x80 { break }
        }
      }
      typed.count = count
    }
  }
}

extension HiddenText: Hashable {
  static func == (left: HiddenText, right: HiddenText) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
