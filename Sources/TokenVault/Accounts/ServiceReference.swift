import TokenVaultGroupStore
package import TokenVaultModel

/// A user's words for the secret of a service.
package struct ServiceReference: Hashable, Sendable {
  private let service: ServiceURL
  /// Whether the text was a host alone, which names every service at it.
  private let isHost: Bool
  /// The user name at the service, or another name of the account; nil for the only one.
  package let name: String?

  /// Nil if the text is neither a URL of a service nor a host.
  package init?(_ text: String, name: String?) {
    guard let service = ServiceURL(text) else { return nil }
    self.service = service
    self.name = name
    isHost = !text.contains("/")
  }

  /// The host, or the URL.
  package var place: String { isHost ? service.host : service.description }

  /// The accounts that may be meant: those at exactly this service, otherwise, for a host, those at
  /// any service of it.
  func choose(_ accounts: [StoredAccount]) -> [StoredAccount] {
    let named = bearers(accounts)
    let exact = named.filter { $0.record.service == service.description }
    return exact.isEmpty && isHost ? named : exact
  }

  /// The accounts with the name, otherwise those with it before the @ of their user name.
  private func bearers(_ accounts: [StoredAccount]) -> [StoredAccount] {
    guard let name else { return accounts }
    let folded = CaseFolding.fold(name)
    let named = accounts.filter {
      $0.record.names.contains(folded) || CaseFolding.equal(name, $0.record.selector)
    }
    if !named.isEmpty { return named }
    let beforeAt = folded + [UInt8(ascii: "@")]
    return accounts.filter { CaseFolding.fold($0.record.username).starts(with: beforeAt) }
  }

  /// Whether an account may be one of those that ``choose(_:)`` takes.
  func mayMean(_ account: StoredAccount) -> Bool {
    isHost
      ? account.record.serviceHost == service.host : account.record.service == service.description
  }
}

extension AccountRecord {
  /// The URL of the service of a stored secret; nil for other accounts.
  var service: String? { stored.first { $0.credential.kind == .secret }?.credential.target }

  fileprivate var serviceHost: String? { service.flatMap { ServiceURL($0) }?.host }
  fileprivate var selector: String { "\(homeAccountID)//\(environment)" }
}

extension Account {
  /// The URL of the service of a stored secret; nil for other accounts.
  package var service: String? {
    guard authorityType == .secret, identifier.hasPrefix(username + "@") else { return nil }
    return String(identifier.dropFirst(username.count + 1))
  }
}
