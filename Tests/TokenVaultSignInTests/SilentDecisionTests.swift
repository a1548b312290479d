import TokenVaultSignIn
import Testing
import TokenVaultModel

/// Decisions about silent requests for every combination of stored tokens, compared with a second
/// implementation of the algorithm of MSAL for iOS and macOS.
@Suite(.timeLimit(.minutes(5))) struct SilentDecisionTests {
  private static let now = Timestamp(epochSeconds: 1_800_000_000)
  private static let skew: Int64 = 300

  /// The properties of a stored token that matter.
  private struct Shape {
    /// Seconds from now; nil for a token without the field.
    var ends: Int64?
    var extendedEnds: Int64?
    var refreshOn: Int64?
    var cachedAt: Int64?

    var credential: Credential {
      func moment(_ seconds: Int64?) -> Timestamp? { seconds.map { now.advanced(by: $0) } }
      var token = Credential(kind: .accessToken, clientID: "app", environment: "id.example")
      token.expiresOn = moment(ends)
      token.extendedExpiresOn = moment(extendedEnds)
      token.refreshOn = moment(refreshOn)
      token.cachedAt = moment(cachedAt)
      return token
    }

    static var all: [Shape] {
      var shapes: [Shape] = []
      for ends in [Int64?.none, -10, 0, 300, 301, 5000] {
        for extended in [Int64?.none, -5, 0, 1, 9000] {
          for refresh in [Int64?.none, -1, 0, 1] {
            for cached in [Int64?.none, -100, 0, 1] {
              shapes.append(
                Shape(ends: ends, extendedEnds: extended, refreshOn: refresh, cachedAt: cached))
            }
          }
        }
      }
      return shapes
    }
  }

  /// The rules for one stored token, in order.
  private static func expected(
    _ token: Shape?, hasRefreshToken: Bool, wantsNew: Bool, extendedLifetime: Bool
  ) -> SilentDecision {
    let isFromFuture = (token?.cachedAt ?? 0) > 0
    let isValid = !isFromFuture && (token?.ends).map { $0 > skew } ?? false
    // A forced refresh or a claims request ignores access tokens.
    if wantsNew { return hasRefreshToken ? .refresh(fallback: .none) : .interaction }
    if isValid {
      let isDue = token?.refreshOn.map { $0 <= 0 } ?? false
      if !isDue { return .serve(0) }
      return hasRefreshToken ? .refresh(fallback: .valid(0)) : .serve(0)
    }
    if !hasRefreshToken { return .interaction }
    let isExtended = !isFromFuture && (token?.extendedEnds).map { $0 > 0 } ?? false
    return .refresh(fallback: extendedLifetime && isExtended ? .extended(0) : .none)
  }

  @Test func everyCombinationForOneTokenIsDecidedByTheRules() {
    for shape in [Shape?.none] + Shape.all.map(Optional.some) {
      for bits in 0..<8 {
        let (has, wants, extended) = (bits & 1 > 0, bits & 2 > 0, bits & 4 > 0)
        let decision = SilentDecision(
          tokens: shape.map { [$0.credential] } ?? [], hasRefreshToken: has, wantsNew: wants,
          now: Self.now, minimumValidity: Self.skew, extendedLifetime: extended)
        let expected = Self.expected(
          shape, hasRefreshToken: has, wantsNew: wants, extendedLifetime: extended)
        #expect(decision == expected, "\(String(describing: shape)) \(has) \(wants) \(extended)")
      }
    }
  }

  @Test func ofTwoTokensTheLongerLastingOneIsServed() {
    for first in Shape.all {
      for second in Shape.all.shuffled().prefix(20) {
        let decision = SilentDecision(
          tokens: [first.credential, second.credential], hasRefreshToken: true, wantsNew: false,
          now: Self.now, minimumValidity: Self.skew, extendedLifetime: true)
        let alone = [first, second].map {
          Self.expected($0, hasRefreshToken: true, wantsNew: false, extendedLifetime: true)
        }
        // With two tokens, everything is possible that one of them allows; the better one wins.
        let ranks = alone.map(Self.rank)
        #expect(ranks.max() == Self.rank(decision), "\(first) \(second) \(decision)")
        guard let chosen = Self.index(decision) else { continue }
        let tokens = [first, second]
        let end = { (shape: Shape) in
          Self.rank(decision) == 1 ? shape.extendedEnds ?? .min : shape.ends ?? .min
        }
        for (index, other) in tokens.enumerated() where ranks[index] >= Self.rank(decision) {
          #expect(end(tokens[chosen]) >= end(other))
        }
      }
    }
  }

  private static func rank(_ decision: SilentDecision) -> Int {
    switch decision {
    case .serve, .refresh(.valid): 2
    case .refresh(.extended): 1
    case .refresh(.none), .interaction: 0
    }
  }

  private static func index(_ decision: SilentDecision) -> Int? {
    switch decision {
    case .serve(let index), .refresh(.valid(let index)), .refresh(.extended(let index)): index
    case .refresh(.none), .interaction: nil
    }
  }
}

/// The order in which refresh tokens are tried.
@Suite(.timeLimit(.minutes(5))) struct RefreshOrderTests {
  private static func token(
    _ client: String, family: String = "", age: Int64? = nil
  ) -> Credential {
    var token = Credential(kind: .refreshToken, clientID: client, environment: "id.example")
    token.familyID = family
    token.lastModified = age.map { Timestamp(epochSeconds: $0) }
    return token
  }

  @Test func everyCombinationIsOrderedByTheRules() {
    let pool = [
      Self.token("A", age: 1), Self.token("a", family: "1", age: 2), Self.token("b", age: 9),
      Self.token("b", family: "1", age: 3), Self.token("c", family: "2", age: 4),
    ]
    for bits in 0..<(1 << pool.count) {
      let tokens = pool.indices.filter { bits & 1 << $0 > 0 }.map { pool[$0] }
      for membership in [RefreshOrder.Membership.member("1"), .none, .unknown] {
        let order = RefreshOrder.order(tokens, client: "a", membership: membership)
        #expect(Set(order).count == order.count)
        // The tokens that may be sent.
        let allowed = tokens.indices.filter { index in
          let token = tokens[index]
          if token.clientID.lowercased() == "a" { return true }
          switch membership {
          case .member(let family): return token.familyID == family
          case .unknown: return !token.familyID.isEmpty
          case .none: return false
          }
        }
        #expect(Set(order) == Set(allowed), "\(membership)")
        // The order: by kind first, then the newest.
        func isFirstKind(_ token: Credential) -> Bool {
          if case .member(let family) = membership { return token.familyID == family }
          return token.clientID.lowercased() == "a"
        }
        for (earlier, later) in zip(order, order.dropFirst()) {
          let (left, right) = (tokens[earlier], tokens[later])
          #expect(isFirstKind(left) || !isFirstKind(right))
          if isFirstKind(left) == isFirstKind(right) {
            #expect(
              (left.lastModified ?? .init(epochSeconds: 0))
                >= (right.lastModified ?? .init(epochSeconds: 0)))
          }
        }
      }
    }
  }

  @Test func aTokenWithoutATimeComesLast() {
    let order = RefreshOrder.order(
      [Self.token("a"), Self.token("a", family: "1", age: 5)], client: "a", membership: .unknown)
    #expect(order == [1, 0])
  }
}
