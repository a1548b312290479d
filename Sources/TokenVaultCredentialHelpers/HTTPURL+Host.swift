import TokenVaultSignIn

extension HTTPURL {
  /// A URL, or a host with or without a port and a path, which means https. Nil for anything else,
  /// such as a text with user information.
  init?(urlOrHost text: String) {
    self.init(text.contains("://") ? text : "https://" + text)
  }
}
