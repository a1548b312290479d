import TokenVault
import TokenVaultCrypto
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultSystem

/// The tokens of gh: an item of the Secret Service for each account, one without a user name for the
/// active account of each host, and the names in hosts.yml.
struct GitHubStore: KeyringBackedStore {
  let keyring: SecretServiceItems
  let hosts: [GitHubHost]

  func items() throws -> [StoreItem] {
    var found: [(GitHubHost, SecretServiceItem)] = []
    for host in hosts {
      found += try keyring.found([("service", "gh:\(host.name)")]).map { (host, $0) }
    }
    // The active account has a second item, without its name.
    let stored = found.map { host, item in
      let name = item.attributes["username"] ?? ""
      return StoreItem(
        name: "gh:\(host.name) \(name.isEmpty ? "(the active account)" : name)",
        content: .password(
          address: host.name, username: name.isEmpty ? host.active : name,
          secret: item.secret.reveal()),
        place: .keyring(item))
    }
    let plain = hosts.flatMap { host in
      host.tokens.map { name, token in
        StoreItem(
          name: "hosts.yml \(host.name) \(name)",
          content: .password(
            address: host.name, username: name.isEmpty ? host.active : name,
            secret: Array(token.utf8)),
          place: .fixed("it is in hosts.yml: gh auth logout --hostname \(host.name)"))
      }
    }
    return stored + plain
  }

  /// gh stores the token itself, since it also writes the account's name into hosts.yml. It asks the
  /// host whose token it is, replaces the one that it has for that account, and makes the account
  /// active.
  func write(
    _ password: StoredPassword, replacing: Bool, isRehearsal: Bool
  ) throws -> StoreWriting {
    let parts = PlaceParts(password.service)
    guard parts.path.isEmpty, parts.scheme == "https" else {
      return .refused("gh knows hosts only, with https")
    }
    let service = [("service", "gh:\(password.service.host)")]
    // This also requires a keyring: without one, gh would write the token into hosts.yml.
    let former = try keyring.found(service)
    if Self.have(former, password) { return .unchanged }
    let hasOthers = hosts.contains { $0.name == password.service.host && !$0.tokens.isEmpty }
    guard replacing || former.isEmpty && !hasOthers else {
      return .refused(
        "gh has a token for this host, and would make this account the active one; --force lets it")
    }
    if isRehearsal { return .written }
    let words = ["gh", "auth", "login", "--hostname", password.service.host, "--with-token"]
    let result = try ChildProgram.run(
      words, environment: Invocation.wholeEnvironment(),
      input: .bytes(password.secret.reveal() + [UInt8(ascii: "\n")]))
    guard let result else { throw Failure.missingStore("gh", package: "gh") }
    guard result.status == 0 else {
      return .refused("gh did not accept it: \(Failure.lastLine(result.errors))")
    }
    let present = try keyring.found(service)
    if Self.have(present, password) { return .written }
    guard present.contains(where: { Self.holds($0, password) }) else {
      return .misplaced("gh did not keep it in the keyring: see hosts.yml")
    }
    return .misplaced("gh has it under another user name, whose token it is: gh auth status")
  }

  /// Whether the items have the token under the user name; GitHub ignores the case of names.
  private static func have(_ items: [SecretServiceItem], _ password: StoredPassword) -> Bool {
    items.contains { item in
      CaseFolding.equal(item.attributes["username"] ?? "", password.username)
        && holds(item, password)
    }
  }

  private static func holds(_ item: SecretServiceItem, _ password: StoredPassword) -> Bool {
    ConstantTime.equal(item.secret.reveal(), password.secret.reveal())
  }
}
