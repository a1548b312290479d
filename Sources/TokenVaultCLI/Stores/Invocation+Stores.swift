import TokenVault
import TokenVaultKeyCustody

extension Invocation {
  /// The store of a program.
  /// - Parameters:
  ///   - place: The file, the name or the directory of its items; nil for all of them.
  ///   - attributes: The attributes of the items, for token caches.
  func store(
    _ name: StoreName, at place: String? = nil, attributes: [(String, String)] = []
  ) throws -> any CredentialStore {
    switch name {
    case .git: return KeyringStore.git(try keyring())
    case .gcm: return KeyringStore.gcm(try keyring())
    case .gh: return GitHubStore(keyring: try keyring(), hosts: try githubHosts())
    case .msal: return KeyringStore.caches(try keyring(), attributes)
    case .pass: return try PassStore(self, prefix: place ?? "")
    case .keepassxc: return try KeePassExport(try content(place), file: place ?? "-")
    case .oidcAgent:
      if place == "-" { return try OIDCAgentStore(try content(place), name: "-") }
      return try OIDCAgentStore(place ?? "", in: self)
    }
  }

  /// The items of other programs in the Secret Service.
  func keyring() throws(CommandError) -> SecretServiceItems {
    let configuration = try configuration(.secrets)
    return SecretServiceItems(
      busAddress: configuration.sessionBusAddress, allowPrompt: options.mayAsk)
  }

  private func content(_ place: String?) throws(CommandError) -> [UInt8] {
    guard let place, place != "-" else {
      return try InputFile.standardInput(limit: MSALCache.fileLimit)
    }
    return try InputFile.read(place, limit: MSALCache.fileLimit)
  }

  /// The hosts of gh. Its keyring items are looked for even if it has no file.
  private func githubHosts() throws(CommandError) -> [GitHubHost] {
    let own = Self.variables(["GH_CONFIG_DIR"])["GH_CONFIG_DIR"]
    let directory =
      own ?? directory(in: "XDG_CONFIG_HOME").map { $0 + "/gh" }
      ?? directory(in: "HOME").map { $0 + "/.config/gh" }
    var hosts: [GitHubHost] = []
    if let directory, InputFile.exists(directory + "/hosts.yml") {
      let bytes = try InputFile.read(directory + "/hosts.yml", limit: 1 << 20)
      hosts = GitHubHost.all(in: String(decoding: bytes, as: UTF8.self))
    }
    if !hosts.contains(where: { $0.name == "github.com" }) {
      hosts.append(GitHubHost(name: "github.com"))
    }
    return hosts
  }
}
