import TokenVaultModel

/// The fields of one entity of a file.
///
/// An absent, null or empty field means the same: libraries differ in which of them they write.
struct Entity {
  typealias Field = MSALCacheError.Field

  let member: MSALCacheError.Member
  let index: Int
  let key: String
  let fields: [JSONValue.Member]

  init(
    _ value: JSONValue, member: MSALCacheError.Member, index: Int, key: String
  ) throws(MSALCacheError) {
    guard let fields = value.members else {
      throw .badEntity(member: member, index: index, field: .entity, problem: .wrongType)
    }
    self.member = member
    self.index = index
    self.key = key
    self.fields = fields
  }

  subscript(name: String) -> JSONValue? { fields.first { $0.name == name }?.value }

  func refusal(_ field: Field, _ problem: MSALCacheError.Problem) -> MSALCacheError {
    .badEntity(member: member, index: index, field: field, problem: problem)
  }

  /// The field's value under its own name, otherwise under the first of `aliases` that has one.
  private func value(of field: Field, aliases: [String]) -> JSONValue? {
    ([field.rawValue] + aliases).lazy.compactMap { self[$0] }
      .first { $0 != .null && $0 != .string("") }
  }

  /// A name; "" if there is none.
  func name(_ field: Field, aliases: [String] = []) throws(MSALCacheError) -> String {
    let text = try self.text(field, aliases: aliases)
    guard text.utf8.count <= MSALCache.nameLimit, !text.hasControlCharacters else {
      throw .invalidText(member: member, index: index, field: field)
    }
    return text
  }

  /// A name that must not be missing.
  func requiredName(_ field: Field) throws(MSALCacheError) -> String {
    let name = try name(field)
    guard !name.isEmpty else { throw refusal(field, .missing) }
    return name
  }

  /// Any text; "" if there is none.
  func text(_ field: Field, aliases: [String] = []) throws(MSALCacheError) -> String {
    guard let value = value(of: field, aliases: aliases) else { return "" }
    guard let text = value.text else { throw refusal(field, .wrongType) }
    return text
  }

  func secret() throws(MSALCacheError) -> String {
    let secret = try text(.secret)
    guard secret.utf8.count <= MSALCache.secretLimit else {
      throw .secretTooLarge(member: member, index: index, limit: MSALCache.secretLimit)
    }
    return secret
  }

  /// A time given as a string or number; nil if there is none. Go and .NET write 0 for no time;
  /// fractions (ObjC) are rounded down.
  func time(_ field: Field, aliases: [String] = []) throws(MSALCacheError) -> Timestamp? {
    let literal: String
    switch value(of: field, aliases: aliases) {
    case nil: return nil
    case .string(let text): literal = text
    case .number(let text): literal = text
    case .null, .bool, .array, .object: throw refusal(field, .wrongType)
    }
    guard let seconds = Self.seconds(literal) else { throw refusal(field, .notATime) }
    return seconds == 0 ? nil : Timestamp(epochSeconds: seconds)
  }

  private static func seconds(_ literal: String) -> Int64? {
    if let whole = Int64(literal) { return whole }
    // Double also accepts words and hexadecimal numbers; neither is a time.
    guard literal.utf8.allSatisfy({ "0123456789.+-eE".utf8.contains($0) }),
      let seconds = Double(literal)
    else { return nil }
    return Int64(exactly: seconds.rounded(.down))
  }

  /// The fields whose names are not in `known`, as the JSON object to keep; empty for none.
  func extra(without known: Set<String>) -> [UInt8] {
    let hasAlias = Self.familyAliases.contains { self[$0] != nil }
    let kept = fields.filter { field in
      !known.contains(field.name) || Self.isNullAccount(field)
        || hasAlias && field.name == Field.familyID.rawValue
    }
    return kept.isEmpty ? [] : JSONValue.object(kept).bytes
  }

  /// The names of the family in caches of MSAL Node. An entity that has such a field is written back
  /// with the same fields.
  static let familyAliases = ["familyId"]

  /// MSAL Python looks for a token without an account by null, not by "" or absence, so a null is
  /// kept.
  static func isNullAccount(_ field: JSONValue.Member) -> Bool {
    field.name == Field.homeAccountID.rawValue && field.value == .null
  }
}

extension MSALCache.App {
  /// Changes the family under every name that it has in the metadata.
  mutating func setFamily(_ family: String) {
    familyID = family
    guard !extraJSON.isEmpty else { return }
    // absent is an answer: fields that cannot be read name no family.
    do {
      let names = Entity.familyAliases + [MSALCacheError.Field.familyID.rawValue]
      let kept = try JSONValue(parsing: extraJSON).members?.filter { !names.contains($0.name) }
      extraJSON = kept.map { $0.isEmpty ? [] : JSONValue.object($0).bytes } ?? extraJSON
    } catch { return }
  }
}
