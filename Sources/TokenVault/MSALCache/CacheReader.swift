import TokenVaultModel

/// Collects the entities of a cache file.
struct CacheReader {
  private var profiles = Newest<MSALCache.Profile>()
  private var tokens = Newest<MSALCache.Token>()
  private var apps = Newest<MSALCache.App>()
  private var unknown: [MSALCache.UnknownMember] = []

  var cache: MSALCache {
    MSALCache(
      profiles: profiles.sorted, tokens: tokens.sorted, apps: apps.sorted,
      unknown: unknown.sorted { $0.name.precedesInBytes($1.name) })
  }

  /// Reads a known member.
  ///
  /// MSAL keeps entities that it does not understand, and so does this reader: as a credential that
  /// is never served if the entity names an account, otherwise as it is in the file.
  mutating func readTable(
    _ member: MSALCacheError.Member, _ entities: [JSONValue.Member]
  ) throws(MSALCacheError) {
    var rest: [JSONValue.Member] = []
    for (index, entry) in entities.enumerated() {
      guard entry.value.members != nil else {
        rest.append(entry)
        continue
      }
      let entity = try Entity(entry.value, member: member, index: index, key: entry.name)
      var isKept: Bool
      do throws(MSALCacheError) { isKept = try read(entity) } catch {
        guard error.isAboutOneEntity else { throw error }
        isKept = try offerForeign(entity)
      }
      if !isKept { rest.append(entry) }
    }
    keep(rest, of: member.rawValue)
  }

  /// Reads a member that only some libraries write. Entities in it that name an account are taken
  /// out of it.
  mutating func readUnknown(_ member: JSONValue.Member) throws(MSALCacheError) {
    guard let entities = member.value.members else {
      unknown.append(MSALCache.UnknownMember(name: member.name, json: member.value.bytes))
      return
    }
    var rest: [JSONValue.Member] = []
    for (index, entry) in entities.enumerated() {
      guard entry.value.members != nil else {
        rest.append(entry)
        continue
      }
      let entity = try Entity(entry.value, member: .other, index: index, key: entry.name)
      let type = entity.plainName(.credentialType)
      let token = try entity.foreign(type: type.isEmpty ? member.name : type, member: member.name)
      if token.homeAccountID.isEmpty {
        rest.append(entry)
      } else {
        tokens.offer(token, ["other", member.name, entry.name], changed: nil, key: entry.name)
      }
    }
    if entities.isEmpty {
      unknown.append(MSALCache.UnknownMember(name: member.name, json: member.value.bytes))
    } else {
      keep(rest, of: member.name)
    }
  }

  private mutating func keep(_ entities: [JSONValue.Member], of name: String) {
    guard !entities.isEmpty else { return }
    unknown.append(MSALCache.UnknownMember(name: name, json: JSONValue.object(entities).bytes))
  }

  /// - Returns: Whether the entity belongs to an account or a client.
  private mutating func read(_ entity: Entity) throws(MSALCacheError) -> Bool {
    switch entity.member {
    case .account:
      let profile = try entity.profile()
      profiles.offer(
        profile,
        [profile.homeAccountID, profile.environment, profile.realm.lowercased(), profile.issuer],
        changed: try entity.time(.lastModificationTime), key: entity.key)
      return true
    case .appMetadata:
      let app = try entity.app()
      apps.offer(
        app, [app.clientID.lowercased(), app.environment],
        changed: try entity.time(.lastModificationTime), key: entity.key)
      return true
    default: return offer(try entity.token(), of: entity)
    }
  }

  private mutating func offer(_ token: MSALCache.Token, of entity: Entity) -> Bool {
    let credential = token.credential
    if case .other = credential.kind, token.homeAccountID.isEmpty,
      credential.clientID.isEmpty || credential.environment.isEmpty
    {
      return false
    }
    tokens.offer(
      token, entity.identity(of: token), changed: credential.lastModified ?? credential.cachedAt,
      ends: credential.expiresOn, key: entity.key)
    return true
  }

  /// Keeps an entity that cannot be read.
  private mutating func offerForeign(_ entity: Entity) throws(MSALCacheError) -> Bool {
    let type = entity.plainName(.credentialType)
    let token = try entity.foreign(type: type.isEmpty ? entity.member.rawValue : type)
    return token.homeAccountID.isEmpty ? false : offer(token, of: entity)
  }
}

extension MSALCacheError {
  /// Whether the rest of the file can be read nevertheless.
  fileprivate var isAboutOneEntity: Bool {
    switch self {
    case .badEntity, .invalidText: true
    case .tooLarge, .notJSON, .tooDeep, .tooMany, .notACache, .badMember, .secretTooLarge: false
    }
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
