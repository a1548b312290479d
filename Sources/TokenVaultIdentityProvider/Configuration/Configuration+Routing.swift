extension Configuration {
  /// The endpoint and realm of a path. The realm is nil for an unknown tenant, and for an endpoint
  /// without a realm.
  /// - Parameter host: The host of Entra External ID; nil for the provider's own address.
  func route(_ segments: [String], host: String? = nil) -> (endpoint: Endpoint, realm: Realm?) {
    let path = segments.map { $0.lowercased() }
    if let host, path != ["interaction"] {
      return (Self.endpoint(path.dropFirst()), path.first.flatMap { external($0, at: host) })
    }
    switch path.first {
    case "control": return (.control, nil)
    case "interaction": return (.interaction, nil)
    case "devicelogin": return (.devicelogin, nil)
    case "api": return (.api, nil)
    case "v1.0": return (path.count > 2 ? .messages : .me, nil)
    case "oidc" where path.count > 2:
      let names: [String: Endpoint] = [
        "authorize": .authorize, "token": .token, "device": .devicecode, "logout": .logout,
        "revoke": .revoke, "introspect": .introspect, "keys": .keys, "userinfo": .userinfo,
        ".well-known": .discovery,
      ]
      if path[2] == ".well-known", path.last != "openid-configuration" { return (.unknown, nil) }
      return (names[path[2]] ?? .unknown, plain(segments[1]))
    // RFC 8414 section 3.1: the well-known part stands between host and path.
    case ".well-known" where path.count == 4 && path[2] == "oidc":
      let isKnown = ["oauth-authorization-server", "openid-configuration"].contains(path[1])
      return (isKnown ? .discovery : .unknown, plain(segments[3]))
    case "tfp" where path.count > 3:
      return (Self.endpoint(path.dropFirst(3)), b2c(path[1], path[2], isTFP: true))
    case _ where path.count > 2 && path[1].hasPrefix("b2c_1"):
      return (Self.endpoint(path.dropFirst(2)), b2c(path[0], path[1], isTFP: false))
    case let tenant?:
      return (Self.endpoint(path.dropFirst()), entra(tenant))
    case nil: return (.unknown, nil)
    }
  }

  private static func endpoint(_ rest: ArraySlice<String>) -> Endpoint {
    switch rest.joined(separator: "/") {
    case "v2.0/.well-known/openid-configuration": .discovery
    case "v2.0/adminconsent": .adminconsent
    case "discovery/v2.0/keys": .keys
    case "discovery/instance": .instance
    case "oauth2/v2.0/authorize": .authorize
    case "oauth2/v2.0/token": .token
    case "oauth2/v2.0/devicecode": .devicecode
    case "oauth2/v2.0/logout": .logout
    case "oauth2/v2.0/revoke": .revoke
    case "oauth2/v2.0/introspect": .introspect
    default: .unknown
    }
  }

  private func plain(_ name: String) -> Realm { Realm(kind: .plain(name), path: "/oidc/\(name)") }

  private func b2c(_ tenant: String, _ policy: String, isTFP: Bool) -> Realm? {
    guard let id = tenantID(tenant) else { return nil }
    return Realm(
      kind: .b2c(tenant: id, policy: policy, isTFP: isTFP),
      path: (isTFP ? "/tfp" : "") + "/\(tenant)/\(policy)")
  }

  /// A tenant of Entra External ID answers at its own hosts only: its subdomains of ciamlogin.com, by
  /// name and by GUID, and its custom domains.
  private func external(_ name: String, at host: String) -> Realm? {
    guard let id = tenantID(name), let hosts = externalTenants[id],
      hosts.contains(host) || host == id + Self.externalSuffix
    else { return nil }
    return Realm(kind: .external(tenant: id), path: "/\(name)")
  }

  private func entra(_ name: String) -> Realm? {
    let audiences: [String: Realm.Kind] = [
      "common": .common, "organizations": .organizations, "consumers": .consumers,
      Self.consumers: .consumers,
    ]
    guard let kind = audiences[name] ?? tenantID(name).map({ .tenant($0) }) else { return nil }
    return Realm(kind: kind, path: "/\(name)")
  }

  private func tenantID(_ name: String) -> String? {
    tenants[name] ?? tenants.values.first { $0 == name }
  }
}
