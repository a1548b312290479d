import TokenVaultCrypto
import TokenVaultModel

extension MSALCache {
  /// The cache as JSON that MSAL Python (and with it Azure CLI), Go, Java, .NET and JS read.
  ///
  /// Keys are those of MSAL Python, times are strings of whole seconds, and everything is sorted:
  /// equal caches give equal bytes. Plain secrets (`Credential.Kind.secret`) are omitted, because
  /// no library knows them.
  /// - Throws: ``MSALCacheError/badEntity(member:index:field:problem:)`` for an `extraJSON` or an
  ///   unknown member that is not JSON of the documented form.
  public func json() throws(MSALCacheError) -> [UInt8] {
    var file: [String: [Entry]] = [:]
    for member in Member.cacheMembers { file[member.rawValue] = [] }
    for (index, profile) in profiles.enumerated() {
      file[Member.account.rawValue]?.append(try profile.entry(index))
    }
    for (index, app) in apps.enumerated() {
      file[Member.appMetadata.rawValue]?.append(try app.entry(index))
    }
    for (index, token) in tokens.enumerated() {
      guard let (member, entry) = try token.entry(index) else { continue }
      file[member, default: []].append(entry)
    }

    var whole: [JSONValue.Member] = []
    for (index, member) in unknown.enumerated() {
      let value: JSONValue
      do { value = try JSONValue(parsing: member.json) } catch {
        throw .badEntity(member: .other, index: index, field: .entity, problem: .wrongType)
      }
      // Entities that were taken out of this member are among the tokens and go back into it.
      if let members = value.members, let entries = file[member.name] {
        file[member.name] = entries + members.map { Entry(key: $0.name, fields: $0.value) }
      } else {
        whole.append(.init(member.name, value))
      }
    }
    let members = file.map { JSONValue.Member($0.key, .object(Self.keyed($0.value))) }
    return JSONValue.object(members + whole).bytes
  }

  /// One key for each entity. MSAL Python's key does not distinguish a family's refresh token from
  /// the client's own; the former then gets the key that the other libraries give it. If the key
  /// does not distinguish two other entities (by token type, for example), the second gets a numeric
  /// suffix: the libraries find entities by their fields.
  private static func keyed(_ entries: [Entry]) -> [JSONValue.Member] {
    var taken = Set<[UInt8]>()
    return entries.sorted { $0.precedes($1) }.map { entry in
      var key = entry.key
      var number = 1
      if let other = entry.otherKey, taken.contains(Array(key.utf8)),
        taken.insert(Array(other.utf8)).inserted
      {
        return .init(other, entry.fields)
      }
      while !taken.insert(Array(key.utf8)).inserted {
        number += 1
        key = "\(entry.key)-\(number)"
      }
      return .init(key, entry.fields)
    }
  }
}

/// An entity to be written.
private struct Entry {
  let key: String
  /// The key if another entity has the first one; nil for the first one with a number.
  var otherKey: String?
  /// Bearer tokens and the newest entities come first, and so get the key that libraries look up
  /// first.
  var rank: Int64 = 0
  let fields: JSONValue

  func precedes(_ other: Entry) -> Bool {
    if key != other.key { return key.precedesInBytes(other.key) }
    if rank != other.rank { return rank > other.rank }
    return fields.bytes.lexicographicallyPrecedes(other.fields.bytes)
  }
}

/// The fields of an entity to be written. An empty string is not written unless a library requires
/// it.
private struct Fields {
  private(set) var members: [JSONValue.Member] = []

  mutating func put(_ field: MSALCacheError.Field, _ text: String, always: Bool = false) {
    guard always || !text.isEmpty else { return }
    members.append(.init(field.rawValue, .string(text)))
  }

  mutating func put(issuer: String) {
    guard !issuer.isEmpty else { return }
    members.append(.init(MSALCache.issuerField, .string(issuer)))
  }

  mutating func put(_ field: MSALCacheError.Field, _ time: Timestamp?, always: Bool = false) {
    guard time != nil || always else { return }
    put(field, String(time?.epochSeconds ?? 0))
  }

  /// The object, merged with the other fields of the entity; a known field takes precedence over an
  /// unknown one.
  func object(
    with extraJSON: [UInt8], _ member: MSALCacheError.Member, _ index: Int
  ) throws(MSALCacheError) -> JSONValue {
    let extra = try extraMembers(extraJSON, member, index)
    var written = members
    if extra.contains(where: Entity.isNullAccount) {
      written.removeAll { $0 == .init(MSALCacheError.Field.homeAccountID.rawValue, .string("")) }
    }
    let family = written.first { $0.name == MSALCacheError.Field.familyID.rawValue }
    if let family,
      extra.contains(where: { Entity.familyAliases.contains($0.name) && $0.value == family.value })
    {
      written.removeAll { $0 == family }
    }
    let names = Set(written.map(\.name))
    return .object(written + extra.filter { !names.contains($0.name) })
  }
}

private func extraMembers(
  _ json: [UInt8], _ member: MSALCacheError.Member, _ index: Int
) throws(MSALCacheError) -> [JSONValue.Member] {
  if json.isEmpty { return [] }
  let value: JSONValue?
  do { value = try JSONValue(parsing: json) } catch { value = nil }
  guard let members = value?.members else {
    throw .badEntity(member: member, index: index, field: .entity, problem: .wrongType)
  }
  return members
}

extension MSALCache.Profile {
  fileprivate func entry(_ index: Int) throws(MSALCacheError) -> Entry {
    var fields = Fields()
    fields.put(.homeAccountID, homeAccountID, always: true)
    fields.put(.environment, environment, always: true)
    fields.put(.realm, realm, always: true)
    fields.put(.localAccountID, localAccountID, always: true)
    fields.put(.username, username, always: true)
    fields.put(.authorityType, authorityType, always: true)
    fields.put(issuer: issuer)
    return Entry(
      key: [homeAccountID, environment, realm].joined(separator: "-").lowercased(),
      fields: try fields.object(with: extraJSON, .account, index))
  }
}

extension MSALCache.App {
  fileprivate func entry(_ index: Int) throws(MSALCacheError) -> Entry {
    var fields = Fields()
    fields.put(.clientID, clientID, always: true)
    fields.put(.environment, environment, always: true)
    fields.put(.familyID, familyID)
    return Entry(
      key: "appmetadata-\(environment)-\(clientID)",
      fields: try fields.object(with: extraJSON, .appMetadata, index))
  }
}

extension MSALCache.Token {
  /// The entity and the name of its member; nil if the credential is not part of a cache.
  fileprivate func entry(_ index: Int) throws(MSALCacheError) -> (String, Entry)? {
    let member: MSALCacheError.Member
    let keyEnd: [String]
    switch credential.kind {
    case .secret, .proofKey: return nil
    case .other: return try foreignEntry(index)
    case .accessToken:
      member = .accessToken
      keyEnd = [credential.realm, credential.scopes.sortedForKey]
    case .refreshToken:
      member = .refreshToken
      keyEnd = ["", credential.scopes.sortedForKey]
    case .idToken:
      member = .idToken
      keyEnd = [credential.realm, ""]
    }
    let isRefresh = credential.kind == .refreshToken
    let isAccess = credential.kind == .accessToken
    var fields = Fields()
    fields.put(.credentialType, member.rawValue)
    fields.put(.secret, secret.reveal(), always: true)
    fields.put(.homeAccountID, homeAccountID, always: true)
    fields.put(.environment, credential.environment, always: true)
    fields.put(.clientID, credential.clientID, always: true)
    fields.put(.realm, credential.realm, always: !isRefresh)
    fields.put(.target, credential.target, always: isAccess)
    fields.put(.tokenType, credential.tokenType)
    fields.put(.cachedAt, credential.cachedAt)
    fields.put(.expiresOn, credential.expiresOn, always: isAccess)
    fields.put(.extendedExpiresOn, credential.extendedExpiresOn)
    fields.put(.refreshOn, credential.refreshOn)
    fields.put(.familyID, credential.familyID)
    fields.put(.keyID, credential.keyID)
    fields.put(.requestedClaims, credential.requestedClaims)
    fields.put(.userAssertionHash, credential.userAssertionHash)
    fields.put(.lastModificationTime, credential.lastModified)
    fields.put(issuer: issuer)
    func key(_ owner: String) -> String {
      ([homeAccountID, credential.environment, member.rawValue, owner] + keyEnd)
        .joined(separator: "-").lowercased()
    }
    return (
      member.rawValue,
      Entry(
        key: key(credential.clientID),
        otherKey: credential.isFamilyRefreshToken ? key(credential.familyID) : nil,
        rank: credential.effectiveTokenType == "bearer" && !credential.isFamilyRefreshToken
          ? .max : (credential.lastModified ?? credential.cachedAt)?.epochSeconds ?? 0,
        fields: try fields.object(with: extraJSON, member, index))
    )
  }

  private func foreignEntry(_ index: Int) throws(MSALCacheError) -> (String, Entry) {
    let wrapped = JSONValue.object(try extraMembers(extraJSON, .other, index))
    guard let member = wrapped["member"]?.text, let key = wrapped["key"]?.text,
      let entity = wrapped["entity"]?.members
    else { throw .badEntity(member: .other, index: index, field: .entity, problem: .missing) }
    var fields = entity
    if !secret.reveal().isEmpty {
      fields.append(.init(MSALCacheError.Field.secret.rawValue, .string(secret.reveal())))
    }
    return (member, Entry(key: key, fields: .object(fields)))
  }
}
