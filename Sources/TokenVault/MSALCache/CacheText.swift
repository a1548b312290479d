import TokenVaultModel
import TokenVaultSignIn

/// The text of a cache file, from which entities can be cut without changing any other byte.
struct CacheText {
  /// The fields by which an object of the file belongs to an account.
  struct Entity {
    var homeAccountID = ""
    var environment = ""
    var clientID = ""
    var username = ""
    var authorityType = ""
    var hasSecret = false
    fileprivate var type = ""
    fileprivate var secret = ""
    private var claimedIssuer = ""
    fileprivate var namedIssuer = ""

    /// The issuer of an ID token, or the one that an export of this program names; empty for all
    /// others.
    var issuer: String { isIDToken ? claimedIssuer : namedIssuer }
    private var isIDToken: Bool { type.lowercased() == "idtoken" }

    /// Keeps the issuer of an ID token, and no secret.
    fileprivate mutating func end() {
      if isIDToken { claimedIssuer = AccountIdentity.bare(IDToken(secret)?.issuer ?? "") }
      secret = ""
    }
  }

  private let bytes: [UInt8]

  /// - Throws: ``MSALCacheError`` if the text is too large or no JSON object.
  init(_ bytes: [UInt8]) throws(MSALCacheError) {
    guard bytes.count <= MSALCache.fileLimit else { throw .tooLarge(limit: MSALCache.fileLimit) }
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch { throw MSALCacheError(error) }
    guard value.members != nil else { throw .notACache }
    self.bytes = bytes
  }

  /// Every object of the file that names an account or has a secret.
  var entities: [Entity] {
    var found: [Entity] = []
    _ = cut { entity in
      found.append(entity)
      return false
    }
    return found
  }

  /// The text without the entities for which `isUnwanted` returns true, and their number. A comma
  /// and the space beside it go with each entity.
  func cut(_ isUnwanted: (Entity) -> Bool) -> (bytes: [UInt8], count: Int) {
    withoutActuallyEscaping(isUnwanted) { isUnwanted in
      var walk = Walk(bytes: bytes, isUnwanted: isUnwanted)
      walk.file()
      var kept: [UInt8] = []
      kept.reserveCapacity(bytes.count)
      var end = 0
      for cut in walk.cuts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        kept += bytes[end..<cut.lowerBound]
        end = cut.upperBound
      }
      return (kept + bytes[end...], walk.count)
    }
  }
}

/// One pass over a text that has already been parsed, and is therefore valid JSON of limited depth.
private struct Walk {
  let bytes: [UInt8]
  let isUnwanted: (CacheText.Entity) -> Bool
  var at = 0
  var cuts: [Range<Int>] = []
  var count = 0

  /// A member of an object or an element of an array, with its name.
  private struct Child {
    let range: Range<Int>
    let isUnwanted: Bool
  }

  mutating func file() {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { at = 3 }
    _ = value(depth: 0)
  }

  /// Passes over a value.
  /// - Returns: The fields of an object; nil for any other value.
  private mutating func value(depth: Int) -> CacheText.Entity? {
    skipSpace()
    switch bytes[at] {
    case UInt8(ascii: "{"): return container(until: UInt8(ascii: "}"), depth: depth)
    case UInt8(ascii: "["):
      _ = container(until: UInt8(ascii: "]"), depth: depth)
    case UInt8(ascii: "\""): skipString()
    default: while at < bytes.count, !" \t\r\n,]}".utf8.contains(bytes[at]) { at += 1 }
    }
    return nil
  }

  private mutating func container(until close: UInt8, depth: Int) -> CacheText.Entity {
    let isObject = close == UInt8(ascii: "}")
    var entity = CacheText.Entity()
    var children: [Child] = []
    at += 1
    skipSpace()
    while bytes[at] != close {
      let start = at
      var name = ""
      if isObject {
        skipString()
        name = text(start..<at)
        skipSpace()
        at += 1
        skipSpace()
      }
      let (valueStart, cutsBefore, countBefore) = (at, cuts.count, count)
      let object = value(depth: depth + 1)
      // The tables of a cache are no entities, whatever fields they have.
      let isTable = depth == 0 && MSALCacheError.Member(cacheMember: name) != nil
      let goes = !isTable && object.map { $0.belongsToAccount && isUnwanted($0) } ?? false
      if goes {
        cuts.removeSubrange(cutsBefore...)
        count = countBefore + 1
      }
      if isObject, bytes[valueStart] == UInt8(ascii: "\"") {
        entity.set(name, text(valueStart..<at))
      }
      children.append(Child(range: start..<at, isUnwanted: goes))
      skipSpace()
      if bytes[at] == UInt8(ascii: ",") {
        at += 1
        skipSpace()
      }
    }
    at += 1
    cut(children)
    entity.end()
    return entity
  }

  /// Cuts the unwanted children with the comma before them; the first ones with the comma after.
  private mutating func cut(_ children: [Child]) {
    var hasKept = false
    for (index, child) in children.enumerated() {
      guard child.isUnwanted else {
        hasKept = true
        continue
      }
      if hasKept {
        cuts.append(children[index - 1].range.upperBound..<child.range.upperBound)
      } else {
        let next = index + 1 < children.count ? children[index + 1].range.lowerBound : nil
        cuts.append(child.range.lowerBound..<(next ?? child.range.upperBound))
      }
    }
  }

  private mutating func skipSpace() {
    while at < bytes.count, [0x20, 0x0a, 0x0d, 0x09].contains(bytes[at]) { at += 1 }
  }

  private mutating func skipString() {
    at = PlainRun.end(in: bytes, from: at + 1)
    while bytes[at] != UInt8(ascii: "\"") { at = PlainRun.end(in: bytes, from: at + 2) }
    at += 1
  }

  /// The text of a string with its quotation marks.
  private func text(_ range: Range<Int>) -> String {
    if PlainRun.end(in: bytes, from: range.lowerBound + 1) == range.upperBound - 1 {
      return String(decoding: bytes[range].dropFirst().dropLast(), as: UTF8.self)
    }
    do { return try JSONValue(parsing: Array(bytes[range])).text ?? "" } catch {
      // The whole text was parsed before, so this string has a value.
      return ""
    }
  }
}

extension CacheText.Entity {
  fileprivate var belongsToAccount: Bool { !homeAccountID.isEmpty || hasSecret }

  fileprivate mutating func set(_ name: String, _ text: String) {
    if name == MSALCache.issuerField { namedIssuer = AccountIdentity.bare(text) }
    switch MSALCacheError.Field(rawValue: name) {
    case .homeAccountID: homeAccountID = text
    case .environment: environment = text
    case .clientID: clientID = text
    case .username: username = text
    case .authorityType: authorityType = text
    case .credentialType: type = text
    case .secret:
      hasSecret = true
      secret = text
    default: break
    }
  }
}
