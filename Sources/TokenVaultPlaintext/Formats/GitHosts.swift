import TokenVaultCrypto

/// The files of gh and glab, which know hosts and their users.
enum GitHosts {
  /// A token stands below its host, and again below its user.
  static func github(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let leaves = try YAMLText.leaves(bytes)
    var secrets: [PlaintextSecret] = []
    for leaf in leaves where leaf.name == "oauth_token" {
      guard let host = leaf.path.first, let value = leaf.value, !value.isEmpty else { continue }
      let isOfUser = leaf.path.count == 4 && leaf.path[1] == "users"
      guard isOfUser || leaf.path.count == 2 else { continue }
      var secret = PlaintextSecret(.token, at: leaf.place, cuts: [leaf.cut])
      let known = isOfUser ? leaf.path[2] : leaves.value([host, "user"])
      secret.username = known.flatMap { $0.isEmpty ? nil : $0 } ?? "x-access-token"
      secret.service = "https://\(host)"
      secret.hold(value)
      let same = secrets.firstIndex { $0.isSame(as: secret) }
      if let same { secrets[same].cuts.append(leaf.cut) } else { secrets.append(secret) }
    }
    return secrets
  }

  static func gitlab(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let leaves = try YAMLText.leaves(bytes)
    return leaves.compactMap { leaf in
      guard leaf.path.count == 3, leaf.path[0] == "hosts", leaf.name == "token",
        let value = leaf.value, !value.isEmpty
      else { return nil }
      var secret = PlaintextSecret(.token, at: leaf.place, cuts: [leaf.cut])
      secret.username =
        leaves.value("user", beside: leaf).flatMap { $0.isEmpty ? nil : $0 } ?? "oauth2"
      secret.service = "https://\(leaf.path[1])"
      secret.hold(value)
      let refresh = leaves.last {
        $0.parent == leaf.parent && $0.name == "oauth2_refresh_token" && $0.value?.isEmpty == false
      }
      if let refresh, let text = refresh.value {
        secret.refreshToken = Redacted(Array(text.utf8))
        secret.cuts.append(refresh.cut)
      }
      return secret
    }
  }
}
