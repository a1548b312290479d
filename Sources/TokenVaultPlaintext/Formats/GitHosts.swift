import TokenVaultCrypto

/// The files of gh and glab, which know hosts and their users.
enum GitHosts {
  /// A token stands below its host, and again below its user.
  static func github(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let leaves = try YAMLText.leaves(bytes)
    var secrets: [PlaintextSecret] = []
    var known: [[String]: Int] = [:]
    for leaf in leaves where leaf.name == "oauth_token" {
      guard let host = leaf.path.first, let value = leaf.value, !value.isEmpty else { continue }
      let isOfUser = leaf.path.count == 4 && leaf.path[1] == "users"
      guard isOfUser || leaf.path.count == 2 else {
        secrets.append(PlaintextSecret(.token, at: leaf.place, cuts: []))
        continue
      }
      var secret = PlaintextSecret(.token, at: leaf.place, cuts: [leaf.cut])
      let user = isOfUser ? leaf.path[2] : leaves.value([host, "user"])
      let name = user.flatMap { $0.isEmpty ? nil : $0 } ?? "x-access-token"
      secret.username = name
      secret.service = "https://\(host)"
      secret.hold(value)
      if let same = known[[host, name, value]] {
        secrets[same].cuts.append(leaf.cut)
      } else {
        known[[host, name, value]] = secrets.count
        secrets.append(secret)
      }
    }
    return secrets
  }

  static func gitlab(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let leaves = try YAMLText.leaves(bytes)
    return leaves.compactMap { leaf in
      guard ["token", "job_token", "oauth2_refresh_token"].contains(leaf.name),
        let value = leaf.value, !value.isEmpty
      else { return nil }
      let isOfHost = leaf.path.count == 3 && leaf.path[0] == "hosts"
      guard isOfHost, leaf.name == "token" else {
        // A refresh token belongs to the token beside it.
        let hasToken = leaves.value("token", beside: leaf)?.isEmpty == false
        if isOfHost, leaf.name == "oauth2_refresh_token", hasToken { return nil }
        var secret = PlaintextSecret(.token, at: leaf.place, cuts: [])
        secret.service = isOfHost ? "https://\(leaf.path[1])" : nil
        return secret
      }
      var secret = PlaintextSecret(.token, at: leaf.place, cuts: [leaf.cut])
      secret.username =
        leaves.value("user", beside: leaf).flatMap { $0.isEmpty ? nil : $0 } ?? "oauth2"
      secret.service = "https://\(leaf.path[1])"
      secret.hold(value)
      let refresh = leaves.leaf(Array(leaf.parent) + ["oauth2_refresh_token"])
      if let refresh, let text = refresh.value, !text.isEmpty {
        secret.refreshToken = Redacted(Array(text.utf8))
        secret.cuts.append(refresh.cut)
      }
      return secret
    }
  }
}
