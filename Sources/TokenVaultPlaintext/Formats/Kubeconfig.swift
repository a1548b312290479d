import TokenVaultCrypto
import TokenVaultModel

/// The users of kubectl's configuration, in YAML or JSON.
enum Kubeconfig {
  static func secrets(_ bytes: [UInt8]) throws(PlaintextError) -> [PlaintextSecret] {
    let isJSON = bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
    let leaves = isJSON ? try JSONText(bytes).leaves() : try YAMLText.leaves(bytes)
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
        let certificate = leaves.last {
          $0.parent == leaf.parent && $0.name == "client-certificate-data"
        }
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
      default: return nil
      }
      secret.username = name
      secret.service = name.flatMap { server(of: $0, leaves) }
      return secret
    }
  }

  /// The server of the only cluster that the contexts of a user name.
  private static func server(of user: String, _ leaves: [Leaf]) -> String? {
    let contexts = leaves.filter {
      $0.path.count == 4 && $0.path[0] == "contexts" && $0.name == "user" && $0.value == user
    }
    let clusters = Set(contexts.compactMap { leaves.value("cluster", beside: $0) })
    let servers = clusters.compactMap { cluster -> String? in
      let named = leaves.last {
        $0.path.count == 3 && $0.path[0] == "clusters" && $0.name == "name" && $0.value == cluster
      }
      return named.flatMap { leaves.value($0.parent + ["cluster", "server"]) }
    }
    return Set(servers).count == 1 ? servers.first : nil
  }
}
