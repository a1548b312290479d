package import Foundation

// Base64 with the URL alphabet and without padding (RFC 4648 section 5), on top of Foundation's.
extension Data {
  /// The bytes of a text. Returns nil for padding, for characters of another alphabet, and for bits
  /// that belong to no byte (RFC 4648 section 3.5).
  package init?(base64URL text: String) {
    guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
    let standard = text.replacingOccurrences(of: "-", with: "+")
      .replacingOccurrences(of: "_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    self.init(base64Encoded: standard + padding)
    guard base64URL == text else { return nil }
  }

  /// The text of the bytes.
  package var base64URL: String {
    base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
}

extension Sequence<UInt8> {
  var base64URL: String { Data(self).base64URL }
}
