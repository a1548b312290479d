/// A host in hosts.yml of gh.
struct GitHubHost: Equatable {
  let name: String
  /// The active account; nil if the file names none.
  var active: String?
  /// The tokens that gh keeps in the file itself, by user name; empty for the active one.
  var tokens: [String: String] = [:]

  /// The hosts of a file, as gh writes it: mappings with indentation, and plain or quoted scalars.
  /// Everything else is passed over.
  static func all(in text: String) -> [GitHubHost] {
    var hosts: [GitHubHost] = []
    // The mappings around a line, with their indentation.
    var path: [(indent: Int, key: String)] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let indent = line.prefix { $0 == " " }.count
      let content = line.dropFirst(indent)
      guard !content.isEmpty, !content.hasPrefix("#"), let colon = end(ofKey: content) else {
        continue
      }
      path.removeAll { $0.indent >= indent }
      let key = scalar(content[..<colon])
      let value = scalar(content[content.index(after: colon)...])
      path.append((indent, key))
      let keys = path.map(\.key)
      if keys.count == 1 { hosts.append(GitHubHost(name: key)) }
      guard !hosts.isEmpty, !value.isEmpty else { continue }
      switch Array(keys.dropFirst()) {
      case ["user"]: hosts[hosts.count - 1].active = value
      case ["oauth_token"]: hosts[hosts.count - 1].tokens[""] = value
      case let keys where keys.count == 3 && keys[0] == "users" && keys[2] == "oauth_token":
        hosts[hosts.count - 1].tokens[keys[1]] = value
      default: break
      }
    }
    return hosts.map(\.withoutRepeatedToken)
  }

  /// The active token stands in the file twice.
  private var withoutRepeatedToken: GitHubHost {
    var host = self
    if let active, let token = tokens[""], tokens[active] == token { host.tokens[""] = nil }
    return host
  }

  /// A colon at the end of the line, or before a space, ends a key.
  private static func end(ofKey line: Substring) -> Substring.Index? {
    var index = line.startIndex
    while let colon = line[index...].firstIndex(of: ":") {
      let next = line.index(after: colon)
      if next == line.endIndex || line[next] == " " { return colon }
      index = next
    }
    return nil
  }

  private static func scalar(_ text: Substring) -> String {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    for quote in ["\"", "'"] where text.count >= 2 && text.hasPrefix(quote) && text.hasSuffix(quote)
    {
      return String(text.dropFirst().dropLast())
    }
    return String(text)
  }
}
