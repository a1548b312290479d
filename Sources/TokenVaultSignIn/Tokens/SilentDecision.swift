package import TokenVaultModel

/// What to do about a silent request, from what is stored alone (msal: the silent flow).
package enum SilentDecision: Hashable, Sendable {
  /// A stored token will do; the index is the token's.
  case serve(Int)
  /// A new one has to be asked for.
  case refresh(fallback: Fallback)
  /// Nothing can be had without the user.
  case interaction

  /// A stored token that is served when the provider gives no new one.
  package enum Fallback: Hashable, Sendable {
    case none
    /// Still valid; only due for a refresh.
    case valid(Int)
    /// Ended, but within what the provider allows while it is down.
    case extended(Int)
  }

  /// Decides.
  /// - Parameters:
  ///   - tokens: the stored access tokens that match the request in all but time.
  ///   - hasRefreshToken: whether the client's own or its family's refresh token is stored.
  ///   - wantsNew: a claims request or a forced refresh.
  package init(
    tokens: [Credential], hasRefreshToken: Bool, wantsNew: Bool, now: Timestamp, skew: Int64,
    extendedLifetime: Bool
  ) {
    let usable = tokens.indices.filter { tokens[$0].isValid(at: now, skew: skew) }
    // The one that lasts longest; of equals the first, so that the answer is always the same.
    let best = usable.max { Self.end(tokens[$0]) < Self.end(tokens[$1]) }
    guard !wantsNew else {
      self = hasRefreshToken ? .refresh(fallback: .none) : .interaction
      return
    }
    if let best {
      let isDue = tokens[best].refreshOn.map { $0 <= now } ?? false
      self = isDue && hasRefreshToken ? .refresh(fallback: .valid(best)) : .serve(best)
      return
    }
    guard hasRefreshToken else {
      self = .interaction
      return
    }
    let extended = tokens.indices.filter { index in
      let token = tokens[index]
      let isFromFuture = token.cachedAt.map { $0 > now } ?? false
      return extendedLifetime && !isFromFuture
        && (token.extendedExpiresOn.map { now < $0 } ?? false)
    }.max { Self.extendedEnd(tokens[$0]) < Self.extendedEnd(tokens[$1]) }
    self = .refresh(fallback: extended.map(Fallback.extended) ?? .none)
  }

  private static func end(_ token: Credential) -> Timestamp {
    token.expiresOn ?? Timestamp(epochSeconds: .max)
  }

  private static func extendedEnd(_ token: Credential) -> Timestamp {
    token.extendedExpiresOn ?? Timestamp(epochSeconds: .min)
  }
}

/// The order in which refresh tokens are tried: a client that is known to be of a family begins
/// with the family's, one that is not known tries its own first, and one that is known to be in
/// none never sends another client's.
package enum RefreshOrder {
  /// What is known of a client and families (MSAL's AppMetadata).
  package enum Membership: Hashable, Sendable { case member(String), none, unknown }

  /// The indices of the tokens to try, in order.
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
