/// Names that tell that their value is a secret, where a tool takes any name.
enum SecretName {
  static let obstacle = "no helper can use it"

  private static let words = ["secret", "token", "password", "passwd", "authorization", "apikey"]
  /// A value of such a name is a place, or an address.
  private static let others = ["file", "path", "dir", "cache", "url", "type"]

  /// Whether a variable, an option or a header of this name has a secret.
  static func isSecret(_ name: String) -> Bool {
    let plain = name.lowercased().filter { $0 != "-" && $0 != "_" }
    return words.contains { plain.contains($0) } && !others.contains { plain.contains($0) }
  }

  /// Whether an argument `--NAME=VALUE` has a secret, or the one after `--NAME` is one.
  static func isSecretArgument(_ text: String, after former: String?) -> Bool {
    if text.hasPrefix("-"), let equals = text.firstIndex(of: "=") {
      return isSecret(String(text[..<equals])) && text.index(after: equals) != text.endIndex
    }
    guard let former, former.hasPrefix("-"), !former.contains("="), !text.hasPrefix("-") else {
      return false
    }
    return isSecret(former)
  }
}
