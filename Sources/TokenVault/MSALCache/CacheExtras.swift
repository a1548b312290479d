import TokenVaultGroupStore

/// The parts of imported caches that belong to no account: application metadata and members of
/// unknown types. The group stores them as one cache.
enum CacheExtras {
  static func read(_ transaction: GroupTransaction) throws -> MSALCache {
    let bytes = try transaction.extras()
    return bytes.isEmpty ? MSALCache() : try MSALCache(json: bytes)
  }

  static func write(_ cache: MSALCache, _ transaction: GroupTransaction) throws {
    try transaction.setExtras(cache.unknown.isEmpty && cache.apps.isEmpty ? [] : try cache.json())
  }
}
