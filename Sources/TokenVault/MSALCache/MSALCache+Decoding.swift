import TokenVaultModel

extension MSALCache {
  /// Reads a cache that any MSAL library wrote.
  ///
  /// Entities are matched by their fields. If the same entity appears under two keys, the newer one
  /// is used. The order of the result does not depend on the order of the file. An entity that does
  /// not have the form of its member is kept as it is and never served.
  /// - Throws: ``MSALCacheError`` if the file is not a cache, or if it or a secret is too large.
  public init(json: [UInt8]) throws(MSALCacheError) {
    guard json.count <= Self.fileLimit else { throw .tooLarge(limit: Self.fileLimit) }
    let file: JSONValue
    do { file = try JSONValue(parsing: json) } catch { throw MSALCacheError(error) }
    guard let members = file.members,
      members.isEmpty || members.contains(where: { Member(cacheMember: $0.name) != nil })
    else { throw .notACache }

    var reader = CacheReader()
    for member in Member.cacheMembers {
      guard let value = members.first(where: { $0.name == member.rawValue })?.value,
        value != .null
      else { continue }
      guard let entities = value.members else { throw .badMember(member) }
      try reader.readTable(member, entities)
    }
    for member in members where Member(cacheMember: member.name) == nil {
      try reader.readUnknown(member)
    }
    self = reader.cache
  }

  typealias Member = MSALCacheError.Member
  typealias Field = MSALCacheError.Field
}

extension MSALCacheError.Member {
  static let cacheMembers: [Self] = [.accessToken, .refreshToken, .idToken, .account, .appMetadata]

  init?(cacheMember name: String) {
    guard let member = Self(rawValue: name), Self.cacheMembers.contains(member) else { return nil }
    self = member
  }
}
