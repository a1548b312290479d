import TokenVault
import TokenVaultCrypto
import TokenVaultKeyCustody

extension KeyringStore {
  /// The items of git-credential-libsecret. Newer versions give them a schema of their own, and find
  /// any; older ones use, and find, only that of network passwords, which other programs have, too.
  static func git(_ keyring: SecretServiceItems) -> KeyringStore {
    KeyringStore(
      keyring: keyring,
      searches: ["org.git.Password", "org.gnome.keyring.NetworkPassword"].map {
        [("xdg:schema", $0)]
      },
      content: content(ofGit:), rest: rest(ofGit:),
      form: { password in
        let place = PlaceParts(password.service)
        var attributes = [
          ("xdg:schema", "org.gnome.keyring.NetworkPassword"), ("user", password.username),
          ("protocol", place.scheme), ("server", place.host),
        ]
        if let port = place.port { attributes.append(("port", port)) }
        if !place.path.isEmpty { attributes.append(("object", place.path)) }
        return Form(
          label: "Git: \(place.scheme)://\(password.service.host)/\(place.path)",
          contentType: "text/plain", attributes: attributes)
      })
  }

  private static func content(ofGit item: SecretServiceItem) -> StoreItem.Content? {
    guard item.label.hasPrefix("Git: ") || item.attributes["xdg:schema"] == "org.git.Password"
    else { return nil }
    let attributes = item.attributes
    guard let scheme = attributes["protocol"], let server = attributes["server"] else {
      return .unusable("it has no address")
    }
    var address = "\(scheme)://\(server)"
    if let port = attributes["port"], port != "0" { address += ":\(port)" }
    if let path = attributes["object"], !path.isEmpty { address += "/\(path)" }
    let secret = GitSecret(item.secret.reveal())
    return .password(address: address, username: attributes["user"], secret: secret.password) {
      $0.expiresOn = secret.expiresOn
      $0.refreshToken = secret.refreshToken
    }
  }

  private static func rest(ofGit item: SecretServiceItem) -> String? {
    let others = GitSecret(item.secret.reveal()).others
    return others == 0 ? nil : others.counted("other line")
  }

  /// The items of Git Credential Manager.
  static func gcm(_ keyring: SecretServiceItems) -> KeyringStore {
    let schema = ("xdg:schema", "com.microsoft.GitCredentialManager")
    return KeyringStore(
      keyring: keyring, searches: [[schema]],
      content: { item in
        guard let service = item.attributes["service"] else {
          return .unusable("it has no address")
        }
        // GCM_NAMESPACE and a colon stand before the address.
        let starts = ["https://", "http://"].compactMap { service.firstRange(of: $0)?.lowerBound }
        guard let start = starts.min() else {
          return .unusable("its address is not one of a service")
        }
        let address = String(service[start...])
        return .password(
          address: address, username: item.attributes["account"], secret: item.secret.reveal()
        ) {
          let parts = PlaceParts($0.service)
          if parts.path.hasSuffix("refresh_token") || parts.host.hasPrefix("oauth-refresh-token.") {
            $0.remark = "a refresh token without its client, kept as a secret"
          }
        }
      },
      form: { password in
        let service = "git:\(password.service)"
        return Form(
          label: service, contentType: "plain/text",
          attributes: [schema, ("service", service), ("account", password.username)])
      })
  }
}
