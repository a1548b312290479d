import TokenVaultModel
import TokenVaultSignIn

/// An account in a cache file, or one client's part of it.
struct CacheOwner {
  let homeAccountID: String
  let environment: String
  let authorityType: AuthorityType
  /// The client id of tokens that belong to no account; empty otherwise.
  let orphanClient: String
  /// The client whose tokens are meant; nil for all of the account.
  var clientID: String?
  /// The account's issuer; empty if it is not known.
  var issuer = ""

  /// Whether the account has something in a file. ID tokens of other issuers only say that the file
  /// is about another account at the same host.
  func isIn(_ entities: [CacheText.Entity]) -> Bool {
    let own = entities.filter(owns)
    let issuers = Set(own.map(\.issuer)).subtracting([""])
    return !own.isEmpty && (issuer.isEmpty || issuers.isEmpty || issuers.contains(issuer))
  }

  /// Whether an object of the file belongs to the account. One that names the account but no
  /// environment does.
  func owns(_ entity: CacheText.Entity) -> Bool {
    guard entity.environment.isEmpty || CloudEnvironment.same(entity.environment, environment),
      clientID.map({ CaseFolding.equal($0, entity.clientID) }) ?? true
    else { return false }
    if homeAccountID.isEmpty {
      return entity.homeAccountID.isEmpty && entity.hasSecret
        && CaseFolding.equal(entity.clientID, orphanClient)
    }
    return authorityType.hasCaseSensitiveSubjects
      ? entity.homeAccountID.utf8.elementsEqual(homeAccountID.utf8)
      : CaseFolding.equal(entity.homeAccountID, homeAccountID)
  }

  /// The text that names exactly this account of the file.
  var selector: String {
    (homeAccountID.isEmpty ? orphanClient : homeAccountID) + "//" + environment
  }
}

extension CacheOwner {
  /// The owner of what a cache file may have of an account of the group.
  init(_ account: Account, clientID: String? = nil) {
    self.init(
      homeAccountID: account.identifier, environment: account.environment,
      authorityType: account.authorityType, orphanClient: account.identity.orphanClient,
      clientID: clientID, issuer: account.issuer)
  }

  /// The owner of an object of a file.
  init(_ entity: CacheText.Entity) {
    self.init(
      homeAccountID: entity.homeAccountID, environment: entity.environment,
      authorityType: AuthorityType(
        cacheText: entity.authorityType, environment: entity.environment,
        homeAccountID: HomeAccountID(entity.homeAccountID)),
      orphanClient: entity.homeAccountID.isEmpty ? entity.clientID : "")
  }

  /// The accounts of a file that a user name, a home account id, `ID//ENVIRONMENT` or `ID//ISSUER`
  /// names.
  static func all(_ reference: AccountReference, in entities: [CacheText.Entity]) -> [CacheOwner] {
    if let (name, issuer) = reference.nameAndIssuer, let host = HTTPURL(issuer)?.host {
      let found = all(named: name, host, in: entities).map { owner in
        var owner = owner
        owner.issuer = AccountIdentity.bare(issuer)
        return owner
      }.filter { $0.isIn(entities) }
      if !found.isEmpty { return found }
    }
    switch reference {
    case .named(let text), .whole(let text): return all(named: text, nil, in: entities)
    case .qualified(let name, let environment, let text):
      let found = all(named: name, environment, in: entities)
      return found.isEmpty ? all(named: text, nil, in: entities) : found
    case .known, .secret, .rule, .current: return []
    }
  }

  /// If several accounts match, those that are spelt exactly like the name: subjects may differ only
  /// in case (OpenID Connect Core section 2).
  private static func all(
    named name: String, _ environment: String?, in entities: [CacheText.Entity]
  ) -> [CacheOwner] {
    let folded = all(in: entities, environment) { CaseFolding.equal($0, name) }
    if folded.isEmpty {
      return all(in: entities, environment) { username in
        username.firstIndex(of: "@").map { CaseFolding.equal(String(username[..<$0]), name) }
          ?? false
      }
    }
    guard folded.count > 1 else { return folded }
    let exact = all(in: entities, environment) { $0.utf8.elementsEqual(name.utf8) }
    return exact.isEmpty ? folded : exact
  }

  private static func all(
    in entities: [CacheText.Entity], _ environment: String?, hasName: (String) -> Bool
  ) -> [CacheOwner] {
    var found: [CacheOwner] = []
    // Objects without an environment come last: they belong to the account that was found before.
    let (placed, others) = (
      entities.filter { !$0.environment.isEmpty }, entities.filter(\.environment.isEmpty)
    )
    for entity in placed + others {
      let owner = CacheOwner(entity)
      guard
        [owner.homeAccountID, owner.orphanClient, entity.username].contains(where: {
          !$0.isEmpty && hasName($0)
        }),
        environment.map({ CloudEnvironment.same($0, owner.environment) }) ?? true,
        !found.contains(where: { $0.owns(entity) })
      else { continue }
      found.append(owner)
    }
    return found
  }
}

extension AccountReference {
  /// The parts of `ID//ISSUER`; nil for all other texts.
  fileprivate var nameAndIssuer: (String, String)? {
    switch self {
    case .named(let text), .whole(let text), .qualified(_, _, let text):
      guard let scheme = text.firstRange(of: "//https://") ?? text.firstRange(of: "//http://")
      else {
        return nil
      }
      return (
        String(text[..<scheme.lowerBound]),
        String(text[text.index(scheme.lowerBound, offsetBy: 2)...])
      )
    case .known, .secret, .rule, .current: return nil
    }
  }
}
