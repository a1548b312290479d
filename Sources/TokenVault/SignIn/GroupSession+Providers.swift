import TokenVaultGroupStore
import TokenVaultModel
package import TokenVaultSignIn

/// The applications with which people signed in at providers known by name. They are remembered in
/// the group beside the metadata of imported applications, so that the next sign-in at the provider
/// needs no client id, and the provider of a URL is known.
extension GroupSession {
  /// The client of the last sign-in at a provider; nil if there was none.
  package func rememberedClient(of authority: Authority) throws(VaultError) -> String? {
    do {
      return try read { transaction in
        let url = AccountIdentity.bare(authority.url)
        let apps = try CacheExtras.read(transaction).apps
        if let app = apps.last(where: { $0.providers[url] != nil }) { return app.clientID }
        // A sign-in that named the authority counts, too, if it leaves no choice.
        var clients = Set<String>()
        _ = try transaction.forEachAccount { stored throws(StoreError) in
          for (client, text) in stored.record.authorities
          where AccountIdentity.bare(text) == url && stored.record.clients[client] != .signedOut {
            clients.insert(
              stored.record.stored.map(\.credential.clientID).first {
                CaseFolding.key($0) == client
              } ?? client)
          }
        }
        return clients.count == 1 ? clients.first : nil
      }
    } catch .noGroup { return nil }
  }

  /// The description of an authority; nil if there is none.
  package func provider(of authority: Authority) throws(VaultError) -> ProviderDescription? {
    let known = configuration.providers
    if let provider = try known.of(authority) { return provider }
    guard !authority.isMicrosoft else { return nil }
    do {
      let name = try read { transaction in
        try CacheExtras.read(transaction).apps.lazy
          .compactMap { $0.providers[AccountIdentity.bare(authority.url)] }.first
      }
      guard let name, let provider = try known.named(name), provider.takesURL else { return nil }
      return try known.named(name, url: authority)
    } catch .noGroup { return nil }
  }
}

extension GroupTransaction {
  /// Remembers the client of a sign-in at a provider known by name.
  func remember(client: String, _ provider: ProviderDescription, at authority: Authority) throws {
    var kept = try CacheExtras.read(self)
    let index = kept.apps.firstIndex {
      CaseFolding.equal($0.clientID, client)
        && CloudEnvironment.same($0.environment, authority.environment)
    }
    var app =
      index.map { kept.apps.remove(at: $0) }
      ?? MSALCache.App(clientID: client, environment: authority.environment, familyID: "")
    app.providers[AccountIdentity.bare(authority.url)] = provider.key
    // The last one is the one of the last sign-in.
    kept.apps.append(app)
    try CacheExtras.write(kept, self)
  }
}

extension MSALCache.App {
  private static let member = "tokenvault_providers"

  /// The names of the providers at which the client was used, by the URL of the authority.
  fileprivate var providers: [String: String] {
    get {
      // absent is an answer: metadata of other libraries have no such member.
      do {
        let members = try JSONValue(parsing: extraJSON)[Self.member]?.members ?? []
        return Dictionary(members.compactMap { one in one.value.text.map { (one.name, $0) } }) {
          $1
        }
      } catch { return [:] }
    }
    set {
      let names = newValue.sorted { $0.key < $1.key }.map {
        JSONValue.Member($0.key, .string($0.value))
      }
      var members: [JSONValue.Member] = []
      // absent is an answer: fields that do not parse are replaced.
      do { members = try JSONValue(parsing: extraJSON).members ?? [] } catch { members = [] }
      members.removeAll { $0.name == Self.member }
      members.append(.init(Self.member, .object(names)))
      extraJSON = JSONValue.object(members).bytes
    }
  }
}
