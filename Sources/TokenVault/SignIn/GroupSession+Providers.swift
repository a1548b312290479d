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
        let uses = apps.flatMap { app in
          app.uses.filter { $0.url == url }.map { (client: app.clientID, time: $0.time) }
        }
        if let last = uses.max(by: { $0.time < $1.time }) { return last.client }
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
    let url = AccountIdentity.bare(authority.url)
    let uses = try rememberedUses().filter { $0.url == url }.sorted { $0.time < $1.time }
    guard let name = uses.last?.provider else { return nil }
    return try known.at(url: authority, name)
  }

  /// Every provider that an account's tokens may be of. A request to an API needs the consent of all
  /// of them: an account that was imported does not tell which one issued its tokens.
  /// - Throws: ``SignInError/providerNotDescribed(file:host:)`` if the description with which the
  ///   account signed in is gone. It may have limited the hosts.
  func providers(
    ofTokensOf account: Account, for address: HTTPURL
  ) throws(VaultError) -> [ProviderDescription] {
    let known = configuration.providers
    let issuer = AccountIdentity.bare(account.issuer)
    let memory = try memory(of: account)
    var found: [ProviderDescription] = []
    if !issuer.isEmpty, let authority = Self.authority(issuer),
      let provider = try known.of(authority)
    {
      found = [provider]
    } else if issuer.isEmpty || memory.isImported {
      // A file must not lift a limit by naming an issuer that nobody has described.
      found = try known.at(host: account.environment)
    }
    for (use, isOwn) in memory.uses {
      guard let authority = Self.authority(use.url),
        issuer.isEmpty ? authority.environment == account.environment : use.url == issuer
      else { continue }
      if let provider = try known.at(url: authority, use.provider) {
        found.append(provider)
      } else if let provider = try known.of(authority) {
        found.append(provider)
      } else if isOwn {
        throw .signIn(
          .providerNotDescribed(
            file: known.path(use.provider) ?? "\(use.provider).json", host: address.origin))
      }
    }
    return found
  }

  /// The facts about an account that say which providers its tokens may be of.
  private struct Memory {
    /// The sign-ins by name, and whether each was with a client that has tokens of the account.
    var uses: [(use: MSALCache.App.Use, isOwn: Bool)] = []
    /// Whether some of its tokens were imported.
    var isImported = false
  }

  private func memory(of account: Account) throws(VaultError) -> Memory {
    try read { transaction in
      let record = try transaction.account(of: account)?.record
      let clients = Set((record?.stored ?? []).map { CaseFolding.key($0.credential.clientID) })
      var memory = Memory()
      for app in try CacheExtras.read(transaction).apps {
        let isOwn = clients.contains(CaseFolding.key(app.clientID))
        memory.uses += app.uses.map { ($0, isOwn) }
      }
      memory.isImported = clients.contains { record?.authorities[$0] == nil }
      return memory
    }
  }

  private static func authority(_ text: String) -> Authority? {
    // absent is an answer: only an authority can have a description.
    do { return try Authority(text) } catch { return nil }
  }

  private func rememberedUses() throws(VaultError) -> [MSALCache.App.Use] {
    do { return try read { try CacheExtras.read($0).apps.flatMap(\.uses) } } catch .noGroup {
      return []
    }
  }
}

extension KnownProviders {
  /// The provider of that name, if it is installed at URLs, at this one.
  fileprivate func at(url: Authority, _ name: String) throws(VaultError) -> ProviderDescription? {
    guard try named(name)?.takesURL == true else { return nil }
    return try named(name, url: url)
  }
}

extension GroupTransaction {
  /// Remembers the client of a sign-in at a provider known by name.
  func remember(
    client: String, _ provider: ProviderDescription, at authority: Authority, now: Timestamp
  ) throws {
    var kept = try CacheExtras.read(self)
    let index = kept.apps.firstIndex {
      CaseFolding.equal($0.clientID, client)
        && CloudEnvironment.same($0.environment, authority.environment)
    }
    var app =
      index.map { kept.apps.remove(at: $0) }
      ?? MSALCache.App(clientID: client, environment: authority.environment, familyID: "")
    let url = AccountIdentity.bare(authority.url)
    app.uses =
      app.uses.filter { $0.url != url }
      + [.init(url: url, provider: provider.key, time: now.epochSeconds)]
    kept.apps.append(app)
    try CacheExtras.write(kept, self)
  }
}

extension MSALCache.App {
  private static let member = "tokenvault_providers"

  /// A provider known by name at which a client was used.
  struct Use: Hashable {
    /// The URL of the authority.
    let url: String
    /// The provider's name.
    let provider: String
    /// The time of the last sign-in, in seconds since 1970.
    let time: Int64

    fileprivate init?(_ member: JSONValue.Member) {
      guard let provider = member.value["name"]?.text,
        case .number(let time)? = member.value["time"]
      else { return nil }
      (url, self.provider, self.time) = (member.name, provider, Int64(time) ?? 0)
    }

    init(url: String, provider: String, time: Int64) {
      (self.url, self.provider, self.time) = (url, provider, time)
    }

    fileprivate var json: JSONValue.Member {
      JSONValue.Member(
        url,
        .object([
          .init("name", .string(provider)), .init("time", .number(String(time))),
        ]))
    }
  }

  /// The providers known by name at which the client was used.
  var uses: [Use] {
    get {
      // absent is an answer: metadata of other libraries have no such member.
      do {
        return try JSONValue(parsing: extraJSON)[Self.member]?.members?.compactMap(Use.init) ?? []
      } catch { return [] }
    }
    set {
      var members: [JSONValue.Member] = []
      // absent is an answer: fields that do not parse are replaced.
      do { members = try JSONValue(parsing: extraJSON).members ?? [] } catch { members = [] }
      members.removeAll { $0.name == Self.member }
      if !newValue.isEmpty {
        let uses = newValue.sorted { $0.url < $1.url }
        members.append(.init(Self.member, .object(uses.map(\.json))))
      }
      extraJSON = JSONValue.object(members).bytes
    }
  }

  /// The entity of an imported file, with the uses of the former one: a file of another tool does not
  /// have them, and must not change them.
  func keepingUses(of former: MSALCache.App) -> MSALCache.App {
    guard !former.uses.isEmpty else { return self }
    var app = self
    let known = Set(former.uses.map(\.url))
    app.uses = former.uses + uses.filter { !known.contains($0.url) }
    return app
  }
}
