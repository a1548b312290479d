/// The remotes of rclone, whose passwords are only disguised.
enum RcloneConfiguration {
  private static let kinds: [String: PlaintextSecret.Kind] = [
    "pass": .password, "password": .password, "password2": .password, "token": .tokens,
    "secret_access_key": .secretKey, "client_secret": .clientSecret, "bearer_token": .token,
    "key": .secretKey, "service_account_credentials": .privateKey, "sas_url": .token,
    "api_key": .token, "access_token": .accessToken,
  ]

  /// An encrypted configuration has none.
  static func secrets(_ bytes: [UInt8]) -> [PlaintextSecret] {
    let leaves = INIText.leaves(bytes, .rclone)
    return leaves.compactMap { leaf in
      guard let kind = kinds[leaf.name], leaf.value?.isEmpty == false else { return nil }
      var secret = PlaintextSecret(kind, at: leaf.place, cuts: [])
      secret.username =
        leaves.value("user", beside: leaf) ?? leaves.value("access_key_id", beside: leaf)
      secret.service = leaves.value("url", beside: leaf) ?? leaves.value("host", beside: leaf)
      return secret
    } + UserInformation.all(bytes).map { $0.url.secret(at: "line \($0.line)") }
  }
}
