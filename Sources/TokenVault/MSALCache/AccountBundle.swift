import TokenVaultModel

/// Everything that a cache has of one account.
struct AccountBundle {
  let homeAccountID: String
  let environment: String
  let authorityType: AuthorityType
  /// The client whose tokens came without an account; empty otherwise.
  let orphanClient: String
  /// The issuer of its ID tokens; empty if they name none or several.
  private(set) var issuer = ""
  var profiles: [MSALCache.Profile] = []
  var tokens: [MSALCache.Token] = []

  /// The identity. A cache of MSAL does not tell issuers at one host apart; only its ID tokens do.
  var identity: AccountIdentity {
    AccountIdentity(
      homeAccountID: HomeAccountID(homeAccountID), environment: environment,
      authorityType: authorityType, orphanClient: orphanClient, issuer: issuer)
  }

  /// Sorts a cache's content by account. Every entity that names an account belongs to it, so that
  /// a sign-out of the account erases all of them. This includes a foreign token that names its
  /// account but not the account's environment. Tokens without an account are grouped by client.
  static func sorted(_ cache: MSALCache) -> [AccountBundle] {
    var bundles: [AccountIdentity: AccountBundle] = [:]
    var types: [[String]: AuthorityType] = [:]
    func bundle(
      _ id: String, _ environment: String, _ type: AuthorityType, client: String
    ) -> AccountBundle {
      let new = AccountBundle(
        homeAccountID: id, environment: environment, authorityType: type,
        orphanClient: id.isEmpty ? client : "")
      return bundles[new.identity] ?? new
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
    let unresolved = cache.tokens.filter(\.hasUnresolvedEnvironment)
    let placed = unresolved.isEmpty ? [] : bundles.values.sorted(by: isOrdered)
    for token in unresolved {
      let home = placed.first { CaseFolding.equal($0.homeAccountID, token.homeAccountID) }
      add(token, environment: home?.environment ?? "")
    }
    return bundles.values.flatMap { $0.byIssuer() }.sorted(by: isOrdered)
  }

  /// A part of the bundle, with the issuer of its ID tokens.
  func part(
    _ issuer: String, _ profiles: [MSALCache.Profile], _ tokens: [MSALCache.Token]
  ) -> AccountBundle {
    var part = self
    part.issuer = issuer
    part.profiles = profiles
    part.tokens = tokens
    return part
  }

  private static func isOrdered(_ left: Self, _ right: Self) -> Bool {
    // Most ids differ, and then the other texts need not be compared.
    guard left.homeAccountID == right.homeAccountID else {
      return left.homeAccountID < right.homeAccountID
    }
    return (left.environment, left.orphanClient, left.issuer)
      < (right.environment, right.orphanClient, right.issuer)
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
