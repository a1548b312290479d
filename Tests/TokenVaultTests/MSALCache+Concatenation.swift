@testable import TokenVault

extension MSALCache {
  static func + (left: MSALCache, right: MSALCache) -> MSALCache {
    MSALCache(
      profiles: left.profiles + right.profiles, tokens: left.tokens + right.tokens,
      apps: left.apps + right.apps, unknown: left.unknown + right.unknown)
  }
}
