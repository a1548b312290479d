/// The host names of each Microsoft cloud, built in so that no network is needed.
///
/// From the instance discovery metadata that MSAL reads
/// (`/common/discovery/instance`: preferred_network, preferred_cache, aliases).
package enum CloudEnvironment {
  private struct Cloud {
    let preferredCache: String
    let aliases: [String]
  }

  private static let clouds = [
    Cloud(
      preferredCache: "login.windows.net",
      aliases: [
        "login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net",
      ]),
    Cloud(
      preferredCache: "login.partner.microsoftonline.cn",
      aliases: ["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"]),
    Cloud(preferredCache: "login.microsoftonline.de", aliases: ["login.microsoftonline.de"]),
    Cloud(
      preferredCache: "login.microsoftonline.us",
      aliases: ["login.microsoftonline.us", "login.usgovcloudapi.net"]),
    Cloud(
      preferredCache: "login-us.microsoftonline.com", aliases: ["login-us.microsoftonline.com"]),
    Cloud(
      preferredCache: "login.sovcloud-identity.fr", aliases: ["login.sovcloud-identity.fr"]),
    Cloud(
      preferredCache: "login.sovcloud-identity.de", aliases: ["login.sovcloud-identity.de"]),
    Cloud(
      preferredCache: "login.sovcloud-identity.sg", aliases: ["login.sovcloud-identity.sg"]),
  ]

  /// The canonical name of a host and all its aliases; an unknown host is its own.
  package static func canonical(_ host: String) -> String {
    let host = CaseFolding.key(host)
    return clouds.first { $0.aliases.contains(host) }?.preferredCache ?? host
  }

  /// Whether two hosts name the same environment.
  package static func same(_ left: String, _ right: String) -> Bool {
    canonical(left) == canonical(right)
  }

  /// Whether the host is one of a Microsoft Entra cloud.
  package static func isKnownCloud(_ host: String) -> Bool {
    let host = CaseFolding.key(host)
    return clouds.contains { $0.aliases.contains(host) }
  }
}
