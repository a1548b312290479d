import Foundation

/// Identifiers that cannot be guessed.
enum RandomText {
  /// The base64url text of random bytes.
  static func base64URL(byteCount: Int = 32) -> String {
    (0..<byteCount).map { _ in UInt8.random(in: 0...255) }.base64URL
  }

  /// A random UUID in lower case.
  static func uuid() -> String { UUID().uuidString.lowercased() }
}
