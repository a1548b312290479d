import TokenVaultCrypto

/// Names one request in the logs of both sides.
package enum CorrelationID {
  /// A random UUID (RFC 9562 section 5.4).
  package static func make() throws(SignInError) -> String {
    var bytes: [UInt8]
    do { bytes = try RandomBytes.make(16) } catch { throw .cryptography }
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
