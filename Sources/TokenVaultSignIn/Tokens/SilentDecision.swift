package import TokenVaultModel

/// The decision about a silent request, made from the stored tokens alone (MSAL's silent flow).
package enum SilentDecision: Hashable, Sendable {
  /// Serve the stored token with this index.
  case serve(Int)
  /// Request a new token.
  case refresh(fallback: Fallback)
  /// The user has to sign in.
  case interaction

  /// A stored token to serve if the provider issues no new one.
  package enum Fallback: Hashable, Sendable {
    case none
    /// Still valid, but due for a refresh.
    case valid(Int)
    /// Expired, but within the extended lifetime that the provider allows while it is down.
    case extended(Int)
  }

  /// Decides.
  /// - Parameters:
  ///   - tokens: the stored access tokens that match the request, expired or not.
  ///   - hasRefreshToken: whether a refresh token of the client or its family is stored.
  ///   - minimumValidity: the seconds that a token must still be valid; nil for the default.
  ///   - wantsNew: whether the request forces a refresh or has claims.
  package init(
    tokens: [Credential], hasRefreshToken: Bool, wantsNew: Bool, now: Timestamp,
    minimumValidity: Int64?,
    extendedLifetime: Bool
  ) {
    let usable = tokens.indices.filter { tokens[$0].isValid(at: now, for: minimumValidity) }
    // The token that lasts longest; of equals the first, so that the decision is deterministic.
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
