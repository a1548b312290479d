import TokenVaultModel

/// Everything that a cache has of one account.
struct AccountBundle {
  let identity: AccountIdentity
  let homeAccountID: String
  let environment: String
  let authorityType: AuthorityType
  var profiles: [MSALCache.Profile] = []
  var tokens: [MSALCache.Token] = []

  /// Sorts a cache's content by account. Every entity that names an account belongs to it, so that
  /// a sign-out of the account erases all of them. This includes a foreign token that names its
  /// account but not the account's environment. Tokens without an account are grouped by client.
  static func sorted(_ cache: MSALCache) -> [AccountBundle] {
    var bundles: [AccountIdentity: AccountBundle] = [:]
    var types: [[String]: AuthorityType] = [:]
    func bundle(
      _ id: String, _ environment: String, _ type: AuthorityType, client: String
    ) -> AccountBundle {
      let identity = AccountIdentity(
        homeAccountID: HomeAccountID(id), environment: environment, authorityType: type,
        orphanClient: client)
      return bundles[identity]
        ?? AccountBundle(
          identity: identity, homeAccountID: id, environment: environment, authorityType: type)
    }
    for profile in cache.profiles {
      let type = AuthorityType(
        cacheText: profile.authorityType, environment: profile.environment,
        homeAccountID: HomeAccountID(profile.homeAccountID))
      types[[profile.homeAccountID.lowercased(), CloudEnvironment.canonical(profile.environment)]] =
        type
      var own = bundle(profile.homeAccountID, profile.environment, type, client: "")
      own.profiles.append(profile)
      bundles[own.identity] = own
    }
    func add(_ token: MSALCache.Token, environment: String) {
      let type =
        types[[token.homeAccountID.lowercased(), CloudEnvironment.canonical(environment)]]
        ?? AuthorityType(
          cacheText: "", environment: environment,
          homeAccountID: HomeAccountID(token.homeAccountID))
      var own = bundle(
        token.homeAccountID, environment, type, client: token.credential.clientID)
      own.tokens.append(token)
      bundles[own.identity] = own
    }
    for token in cache.tokens where !token.hasUnresolvedEnvironment {
      add(token, environment: token.credential.environment)
    }
    let placed = bundles.values.sorted(by: isOrdered)
    for token in cache.tokens where token.hasUnresolvedEnvironment {
      let home = placed.first { CaseFolding.equal($0.homeAccountID, token.homeAccountID) }
      add(token, environment: home?.environment ?? "")
    }
    return bundles.values.sorted(by: isOrdered)
  }

  private static func isOrdered(_ left: Self, _ right: Self) -> Bool {
    (left.homeAccountID, left.environment, left.identity.orphanClient)
      < (right.homeAccountID, right.environment, right.identity.orphanClient)
  }
}

extension MSALCache.Token {
  /// Whether this is a credential of an unknown type that names its account but not the account's
  /// environment.
  fileprivate var hasUnresolvedEnvironment: Bool {
    guard case .other = credential.kind else { return false }
    return credential.environment.isEmpty && !homeAccountID.isEmpty
  }
}
