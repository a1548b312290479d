/// The registries in the configuration of docker, and in that of podman and skopeo.
enum DockerConfiguration {
  /// The members of a registry with secrets are taken out. The entry stays, as docker itself leaves
  /// it when it uses a helper.
  static func secrets(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let leaves = try JSONText(bytes).leaves()
    return leaves.compactMap { leaf in
      guard let value = leaf.value, !value.isEmpty else { return nil }
      if let secret = other(leaf, value) { return secret }
      guard let key = registry(of: leaf) else { return nil }
      var secret: PlaintextSecret
      switch leaf.name {
      case "auth":
        secret = PlaintextSecret(.password, at: leaf.place, cuts: [leaf.cut])
        // An entry with an identity token has a user name alone here.
        let parts = Base64Text.decode(value).flatMap { String(validating: $0, as: UTF8.self) }
        if let parts, let colon = parts.firstIndex(of: ":") {
          secret.username = String(parts[..<colon])
          let password = parts[parts.index(after: colon)...].drop { $0 == "\0" }
          guard !password.isEmpty else { return nil }
          secret.hold(String(password))
        } else {
          secret.cuts = [.kept("its value is not base64 of a user name and a password")]
        }
      case "identitytoken":
        secret = PlaintextSecret(.token, at: leaf.place, cuts: [leaf.cut])
        // The user name under which docker stores it with a helper.
        secret.username = "<token>"
        secret.hold(value)
      case "registrytoken", "password":
        secret = PlaintextSecret(.token, at: leaf.place, cuts: [])
      default: return nil
      }
      secret.service = service(key)
      return secret
    }
  }

  /// The members of the configuration that have names of their own at the place of a registry.
  private static let sections: Set = [
    "auths", "credHelpers", "HttpHeaders", "proxies", "plugins", "aliases", "features",
  ]

  /// The key of an entry: below `auths`, or at the top in the former `.dockercfg`.
  private static func registry(of leaf: Leaf) -> String? {
    if leaf.path.count == 3, leaf.path[0] == "auths" { return leaf.path[1] }
    return leaf.path.count == 2 && !sections.contains(leaf.path[0]) ? leaf.path[0] : nil
  }

  /// The password of a proxy, or a header of each request, which the user has to take out.
  private static func other(_ leaf: Leaf, _ value: String) -> PlaintextSecret? {
    // A text that is only a value has no path.
    if leaf.path.first == "proxies" {
      guard let url = UserInformation(Array(value.utf8)[...]) else { return nil }
      return url.secret(at: leaf.place)
    }
    guard leaf.path.first == "HttpHeaders", SecretName.isSecret(leaf.name) else { return nil }
    return PlaintextSecret(.token, at: leaf.place, cuts: [.kept(SecretName.obstacle)])
  }

  private static func service(_ key: String) -> String {
    key.contains("://") ? key : "https://\(key)"
  }
}
