import TokenVaultModel

/// Files that are reported and left to the tool that wrote them.
enum CacheFiles {
  private static let kinds: [String: PlaintextSecret.Kind] = [
    "access_token": .accessToken, "accessToken": .accessToken, "refresh_token": .refreshToken,
    "refreshToken": .refreshToken, "id_token": .token, "client_secret": .clientSecret,
    "clientSecret": .clientSecret, "private_key": .privateKey, "SecretAccessKey": .secretKey,
    "SessionToken": .token,
  ]

  /// The tokens of a JSON text, wherever they stand.
  static func secrets(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let leaves = try JSONText(bytes).leaves()
    return leaves.compactMap { leaf in
      guard let kind = kinds[leaf.name], let value = leaf.value, !value.isEmpty else { return nil }
      var secret = PlaintextSecret(kind, at: leaf.place, cuts: [])
      secret.username =
        ["account", "client_email", "AccessKeyId", "startUrl", "client_id"]
        .compactMap { leaves.value($0, beside: leaf) }.first { !$0.isEmpty }
      secret.expiresOn = Timestamp(endOfWebToken: value)
      if kind == .accessToken || kind == .secretKey || kind == .token, secret.expiresOn == nil {
        secret.expiresOn =
          ["expiresAt", "Expiration", "expiry"]
          .compactMap { Timestamp(leaves.value($0, beside: leaf)) }.first
      }
      return secret
    }
  }

  /// Marks of a stored token in the database of gcloud, whose pages are not read any further.
  private static let marks = ["refresh_token", "private_key", "ya29."]

  static func database(_ bytes: [UInt8]) -> [PlaintextSecret] {
    guard bytes.starts(with: "SQLite format 3\0".utf8) else { return [] }
    let isInUse = marks.contains { mark in
      bytes.firstRange(of: Array(mark.utf8)) != nil
    }
    return isInUse ? [PlaintextSecret(.database, at: "the whole file", cuts: [])] : []
  }
}
