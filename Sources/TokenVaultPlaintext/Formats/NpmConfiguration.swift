/// npm's .npmrc, whose keys begin with the registry: `//registry.example.com/:_authToken=`.
enum NpmConfiguration {
  static func secrets(_ bytes: [UInt8]) -> [PlaintextSecret] {
    let leaves = INIText.leaves(bytes, .npm)
    return leaves.compactMap { leaf in
      let isScoped = leaf.name.hasPrefix("//")
      let parts = leaf.name.split(separator: ":")
      let name = isScoped ? parts.last.map(String.init) ?? "" : leaf.name
      let registry = isScoped ? String(leaf.name.dropLast(name.count + 1)) : nil
      // A reference to a variable is no secret.
      guard ["_authToken", "_auth", "_password"].contains(name),
        leaf.value?.isEmpty != true, leaf.value?.hasPrefix("${") != true
      else { return nil }
      let kind: PlaintextSecret.Kind = name == "_authToken" ? .token : .password
      var secret = PlaintextSecret(kind, at: leaf.name, cuts: [leaf.cut])
      secret.service =
        registry.map { "https:\($0)" } ?? leaves.value(["", "registry"])
        ?? "https://registry.npmjs.org"
      let userKey = registry.map { "\($0):username" } ?? "username"
      switch name {
      case "_authToken":
        secret.username = leaves.value(["", userKey]) ?? "npm"
        secret.isBearer = true
        secret.hold(leaf.value)
      case "_password":
        secret.username = leaves.value(["", userKey])
        secret.hold(
          leaf.value.flatMap(Base64Text.decode).flatMap { String(validating: $0, as: UTF8.self) })
      default:
        let text = leaf.value.flatMap(Base64Text.decode)
          .flatMap { String(validating: $0, as: UTF8.self) }
        guard let text, let colon = text.firstIndex(of: ":") else { break }
        secret.username = String(text[..<colon])
        secret.hold(String(text[text.index(after: colon)...]))
      }
      return secret
    } + UserInformation.all(bytes).map { $0.url.secret(at: "line \($0.line)") }
  }
}
