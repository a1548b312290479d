import TokenVaultCrypto
import TokenVaultModel

/// The users of kubectl's configuration, in YAML or JSON.
enum Kubeconfig {
  static func secrets(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let isJSON = bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
    let leaves = isJSON ? try JSONText(bytes).leaves() : try YAMLText.leaves(bytes)
    let servers = servers(leaves)
    return leaves.compactMap { leaf in
      guard leaf.path.count >= 4, leaf.path[0] == "users", leaf.path[2] == "user",
        let value = leaf.value, !value.isEmpty
      else { return nil }
      let name = leaves.value(["users", leaf.path[1], "name"])
      let place = "users.\(name ?? leaf.path[1]).\(leaf.path.dropFirst(3).joined(separator: "."))"
      var secret: PlaintextSecret
      switch (leaf.name, leaf.path.count) {
      case ("token", 4):
        secret = PlaintextSecret(.token, at: place, cuts: [leaf.cut])
        secret.isBearer = true
        secret.hold(value)
      case ("client-key-data", 4):
        let certificate = leaves.leaf(Array(leaf.parent) + ["client-certificate-data"])
        // The helper answers with both of them, so they leave the file together.
        secret = PlaintextSecret(
          .privateKey, at: place, cuts: [leaf.cut] + (certificate.map { [$0.cut] } ?? []))
        if let certificate, let chain = certificate.value.flatMap(Base64Text.decode),
          let key = Base64Text.decode(value)
        {
          let separator: [UInt8] = chain.last == 0x0a ? [] : [0x0a]
          secret.secret = Redacted(chain + separator + key)
        }
      case ("password", 4):
        secret = PlaintextSecret(.password, at: place, cuts: [])
      case ("access-token", 6), ("refresh-token", 6), ("id-token", 6), ("client-secret", 6):
        secret = PlaintextSecret(.token, at: place, cuts: [])
        secret.expiresOn = Timestamp(endOfWebToken: value)
      case ("value", 7) where leaf.path[3] == "exec" && leaf.path[4] == "env":
        guard SecretName.isSecret(leaves.value("name", beside: leaf) ?? "") else { return nil }
        secret = PlaintextSecret(.token, at: place, cuts: [])
      case (_, 6) where leaf.path[3] == "exec" && leaf.path[4] == "args":
        let former = Int(leaf.name).flatMap { leaves.value("\($0 - 1)", beside: leaf) }
        guard SecretName.isSecretArgument(value, after: former) else { return nil }
        secret = PlaintextSecret(.token, at: place, cuts: [])
      default: return nil
      }
      secret.username = name
      secret.service = name.flatMap { servers[$0] }
      return secret
    }
  }

  /// The server of each user whose contexts name only one.
  private static func servers(_ leaves: Leaves) -> [String: String] {
    var clusters: [String: String] = [:]
    for leaf in leaves where leaf.path.count == 3 && leaf.path[0] == "clusters" {
      guard leaf.name == "name", let name = leaf.value else { continue }
      clusters[name] = leaves.value(Array(leaf.parent) + ["cluster", "server"])
    }
    var servers: [String: Set<String>] = [:]
    for leaf in leaves where leaf.path.count == 4 && leaf.path[0] == "contexts" {
      guard leaf.name == "user", let user = leaf.value,
        let server = leaves.value("cluster", beside: leaf).flatMap({ clusters[$0] })
      else { continue }
      servers[user, default: []].insert(server)
    }
    return servers.compactMapValues { $0.count == 1 ? $0.first : nil }
  }
}
