import TokenVaultCrypto

extension Base64URL {
  /// Decodes with or without padding: some issuers pad, although RFC 7515 section 2 forbids it.
  static func decodePadded(_ text: String) -> [UInt8]? {
    decode(String(text.prefix { $0 != "=" }))
  }
}
