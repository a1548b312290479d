package import TokenVaultModel

/// The order in which to try refresh tokens. A member of a client family starts with the family's
/// tokens. A client whose membership is unknown starts with its own. A client that is in no family
/// never sends another client's token.
package enum RefreshOrder {
  /// A client's membership in a family, as far as it is known (MSAL's AppMetadata).
  package enum Membership: Hashable, Sendable { case member(String), none, unknown }

  /// The indices of the tokens, in the order to try them.
  package static func order(
    _ tokens: [Credential], client: String, membership: Membership
  ) -> [Int] {
    let own = tokens.indices.filter { CaseFolding.equal(tokens[$0].clientID, client) }
    let family = tokens.indices.filter { index in
      let id = tokens[index].familyID
      switch membership {
      case .member(let member): return id == member
      case .unknown: return !id.isEmpty
      case .none: return false
      }
    }
    let newestFirst = { (indices: [Int]) in
      indices.sorted { age(tokens[$0]) > age(tokens[$1]) }
    }
    let ordered: [Int]
    if case .member = membership {
      ordered = newestFirst(family) + newestFirst(own)
    } else {
      ordered = newestFirst(own) + newestFirst(family)
    }
    var seen = Set<Int>()
    return ordered.filter { seen.insert($0).inserted }
  }

  private static func age(_ token: Credential) -> Timestamp {
    token.lastModified ?? token.cachedAt ?? Timestamp(epochSeconds: .min)
  }
}
