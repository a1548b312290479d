import TokenVaultModel

extension MSALCache {
  /// Reads a cache that any MSAL library wrote.
  ///
  /// Entities are matched by their fields. If the same entity appears under two keys, the newer one
  /// is used. The order of the result does not depend on the order of the file.
  /// - Throws: ``MSALCacheError`` if the file or an entity is too large or malformed.
  public init(json: [UInt8]) throws(MSALCacheError) {
    guard json.count <= Self.fileLimit else { throw .tooLarge(limit: Self.fileLimit) }
    let file: JSONValue
    do { file = try JSONValue(parsing: json) } catch { throw MSALCacheError(error) }
    guard let members = file.members,
      members.isEmpty || members.contains(where: { Member(cacheMember: $0.name) != nil })
    else { throw .notACache }

    var profiles = Newest<Profile>()
    var tokens = Newest<Token>()
    var apps = Newest<App>()
    for member in Member.cacheMembers {
      guard let value = members.first(where: { $0.name == member.rawValue })?.value,
        value != .null
      else { continue }
      guard let entities = value.members else { throw .badMember(member) }
      for (index, entry) in entities.enumerated() {
        let entity = try Entity(entry.value, member: member, index: index, key: entry.name)
        switch member {
        case .account:
          let profile = try entity.profile()
          profiles.offer(
            profile, [profile.homeAccountID, profile.environment, profile.realm.lowercased()],
            changed: try entity.time(.lastModificationTime), key: entity.key)
        case .appMetadata:
          let app = try entity.app()
          apps.offer(
            app, [app.clientID.lowercased(), app.environment],
            changed: try entity.time(.lastModificationTime), key: entity.key)
        default:
          let token = try entity.token()
          let credential = token.credential
          tokens.offer(
            token, entity.identity(of: token),
            changed: credential.lastModified ?? credential.cachedAt, ends: credential.expiresOn,
            key: entity.key)
        }
      }
    }

    var unknown: [UnknownMember] = []
    for member in members where Member(cacheMember: member.name) == nil {
      guard !member.name.hasControlCharacters else {
        throw .invalidText(member: .other, index: 0, field: .entity)
      }
      var rest: [JSONValue.Member] = []
      let entities = member.value.members ?? []
      for (index, entry) in entities.enumerated() {
        guard let id = entry.value[Field.homeAccountID.rawValue]?.text, !id.isEmpty else {
          rest.append(entry)
          continue
        }
        let entity = try Entity(entry.value, member: .other, index: index, key: entry.name)
        let type = try entity.nameIfText(.credentialType)
        tokens.offer(
          try entity.foreign(type: type.isEmpty ? member.name : type, member: member.name),
          ["other", member.name, entry.name],
          changed: nil, key: entry.name)
      }
      let isWhole = rest.count == entities.count
      if rest.isEmpty && !isWhole { continue }
      let value = isWhole ? member.value : .object(rest)
      unknown.append(
        UnknownMember(
          name: member.name, json: value.bytes, homeAccountIDs: value.homeAccountIDs))
    }
    self.init(
      profiles: profiles.sorted, tokens: tokens.sorted, apps: apps.sorted,
      unknown: unknown.sorted { $0.name.precedesInBytes($1.name) })
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

/// Keeps the newest of several versions of the same entity in a file.
private struct Newest<Thing> {
  /// Keyed by the bytes of the identity, because Swift compares two spellings of a character as
  /// equal.
  private var things: [[[UInt8]]: (thing: Thing, age: Age)] = [:]

  /// The criteria that order two versions; the first difference decides. The key of the file comes
  /// last, and only to make the result independent of the order of the file.
  private struct Age {
    let changed: Int64
    let ends: Int64
    let key: String

    func isNewer(than other: Age) -> Bool {
      if changed != other.changed { return changed > other.changed }
      if ends != other.ends { return ends > other.ends }
      return other.key.precedesInBytes(key)
    }
  }

  /// Keeps `thing`, unless a newer one of the same identity was offered before.
  mutating func offer(
    _ thing: Thing, _ identity: [String], changed: Timestamp?, ends: Timestamp? = nil, key: String
  ) {
    let age = Age(changed: changed?.epochSeconds ?? 0, ends: ends?.epochSeconds ?? 0, key: key)
    let identity = identity.map { Array($0.utf8) }
    if let stored = things[identity], !age.isNewer(than: stored.age) { return }
    things[identity] = (thing, age)
  }

  var sorted: [Thing] {
    things.sorted { left, right in
      left.key.lexicographicallyPrecedes(right.key) { $0.lexicographicallyPrecedes($1) }
    }.map(\.value.thing)
  }
}
