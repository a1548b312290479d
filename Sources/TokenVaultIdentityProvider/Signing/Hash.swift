import TokenVaultCrypto

enum Hash {
  /// SHA-256.
  static func sha256(_ bytes: some Collection<UInt8>) throws(Failure) -> [UInt8] {
    do {
      return try Digest.sha256(Array(bytes))
    } catch {
      throw .broken
    }
  }

  /// HMAC (RFC 2104) with SHA-256.
  static func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    let short = key.count > 64 ? try sha256(key) : key
    let block = short + [UInt8](repeating: 0, count: 64 - short.count)
    let inner = try sha256(block.map { $0 ^ 0x36 } + bytes)
    return try sha256(block.map { $0 ^ 0x5c } + inner)
  }
}
