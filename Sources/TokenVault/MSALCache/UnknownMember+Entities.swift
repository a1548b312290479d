import TokenVaultGroupStore
import TokenVaultModel

// A known member is stored among the unknown ones with those of its entities that could not be read
// and that name no account.
extension MSALCache.UnknownMember {
  /// The entities, if they are those of a known member.
  private var entities: [JSONValue.Member]? {
    guard MSALCache.Member(cacheMember: name) != nil else { return nil }
    // absent is an answer: an unknown member may have any form.
    do { return try JSONValue(parsing: json).members } catch { return nil }
  }

  /// This member together with the entities that an earlier import left under other keys.
  func merged(over former: Self) -> Self {
    guard let entities, let before = former.entities else { return self }
    let keys = Set(entities.map(\.name))
    let all = before.filter { !keys.contains($0.name) } + entities
    return Self(name: name, json: JSONValue.object(all).bytes)
  }

  /// The member without what names an account; nil if nothing is left. Of a known member, single
  /// entities go; an unknown member goes as a whole.
  func without(_ account: AccountRecord) -> Self? {
    guard let entities else {
      let id = CaseFolding.key(account.homeAccountID)
      let isNamed = !id.isEmpty && homeAccountIDs.contains { CaseFolding.key($0) == id }
      return isNamed ? nil : self
    }
    let id = CaseFolding.fold(account.homeAccountID)
    var names = Set(account.profiles.map { CaseFolding.fold($0.username) })
    names.insert(id)
    names.remove([])
    let kept = entities.filter { entity in
      // In all libraries, the keys of an account's entities begin with its id.
      let isUnderID = !id.isEmpty && CaseFolding.fold(entity.name).starts(with: id + "-".utf8)
      return !isUnderID && !entity.value.contains(oneOf: names)
    }
    if kept.count == entities.count { return self }
    return kept.isEmpty ? nil : Self(name: name, json: JSONValue.object(kept).bytes)
  }
}

extension JSONValue {
  /// Whether a string at any depth is one of these names, folded by `CaseFolding`.
  fileprivate func contains(oneOf names: Set<[UInt8]>) -> Bool {
    switch self {
    case .null, .bool, .number: false
    case .string(let text): names.contains(CaseFolding.fold(text))
    case .array(let elements): elements.contains { $0.contains(oneOf: names) }
    case .object(let members): members.contains { $0.value.contains(oneOf: names) }
    }
  }
}
