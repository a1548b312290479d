import TokenVaultCrypto
import TokenVaultModel

/// Identifies one request in the logs of both sides.
package enum CorrelationID {
  /// A random UUID (RFC 9562 section 5.4).
  package static func make() throws(SignInError) -> String {
    var bytes: [UInt8]
    do { bytes = try RandomBytes.make(16) } catch { throw .cryptography }
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    return [bytes[..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10...]]
      .map { Hexadecimal.encode(Array($0)) }.joined(separator: "-")
  }
}
