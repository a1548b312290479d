/// The tokens of `terraform login`, and the configuration of the Terraform CLI.
enum TerraformFiles {
  /// The entry of a host is taken out, as `terraform logout` does.
  static func tokens(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    try JSONText(bytes).leaves().compactMap { leaf in
      guard leaf.path.count == 3, leaf.path[0] == "credentials", leaf.name == "token",
        let value = leaf.value, !value.isEmpty, case .node(let path) = leaf.cut
      else { return nil }
      return secret(value, host: leaf.path[1], [.node(path.dropLast())])
    }
  }

  /// Blocks `credentials "HOST" { token = "…" }` on three lines. A block with anything else stays.
  static func configuration(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let lines = TextLine.all(bytes)
    var secrets: [PlaintextSecret] = []
    for (index, line) in lines.enumerated() {
      let text = (line.text(bytes) ?? "").trimmed
      guard text.hasPrefix("credentials"), let name = text.dropFirst(11).trimmed.first, name == "\""
      else { continue }
      let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2].trimmed == "{", index + 2 < lines.count,
        let token = value(of: "token", (lines[index + 1].text(bytes) ?? "").trimmed),
        (lines[index + 2].text(bytes) ?? "").trimmed == "}"
      else { throw .notUnderstood(line: line.number) }
      let range = line.range.lowerBound..<lines[index + 2].range.upperBound
      secrets.append(secret(token, host: String(parts[1]), [.bytes(range)]))
    }
    return secrets
  }

  private static func value(of name: String, _ text: String) -> String? {
    guard text.hasPrefix(name) else { return nil }
    let rest = text.dropFirst(name.count).trimmed
    guard rest.hasPrefix("=") else { return nil }
    let parts = rest.dropFirst().trimmed.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty, parts[2].isEmpty, !parts[1].contains("\\") else {
      return nil
    }
    return String(parts[1])
  }

  private static func secret(_ token: String, host: String, _ cuts: [Cut]) -> PlaintextSecret {
    var secret = PlaintextSecret(.token, at: "credentials.\(host)", cuts: cuts)
    secret.username = "terraform"
    secret.service = "https://\(host)"
    secret.hold(token)
    return secret
  }
}
