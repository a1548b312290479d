import TokenVaultCrypto

func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
  unsafe secret.withUnsafeBytes { unsafe Array($0) }
}

func text(_ secret: borrowing SecretBytes) -> String {
  String(decoding: bytes(secret), as: UTF8.self)
}

func secret(_ text: String) throws -> SecretBytes { try SecretBytes(copying: Array(text.utf8)) }
