/// MSAL's home account id: the id of an account in its home tenant.
public struct HomeAccountID: Hashable, Sendable {
  /// The opaque text (`uid.utid` for Microsoft Entra, the subject for other providers).
  public let identifier: String

  /// Every text is a home account id; only the properties below parse it.
  public init(_ identifier: String) { self.identifier = identifier }

  private var halves: (Substring, Substring)? {
    // One pass over the bytes, because a listing calls it several times for each account.
    let bytes = identifier.utf8.span
    var dot: Int?
    for index in bytes.indices {
      switch bytes[index] {
      // No part of `uid.utid` has a slash. The id of a stored secret contains a URL, and its host may
      // have a single dot.
      case UInt8(ascii: "/"): return nil
      case UInt8(ascii: "."):
        guard dot == nil else { return nil }
        dot = index
      default: break
      }
    }
    guard let dot else { return nil }
    let end = identifier.utf8.index(identifier.startIndex, offsetBy: dot)
    return (identifier[..<end], identifier[identifier.utf8.index(after: end)...])
  }

  /// The part before the dot of `uid.utid`; the whole identifier if it has no such form.
  public var objectID: String { halves.map { String($0.0) } ?? identifier }
  /// The part after the dot of `uid.utid`; empty if the identifier has no such form.
  public var tenantID: String { halves.map { String($0.1) } ?? "" }

  /// The tenant that a cache's `realm` refers to. MSAL for Python, and with it Azure CLI, stores the
  /// tokens of an authority for all tenants under that authority's name, such as "common"; they are
  /// tokens of the home tenant.
  package func tenant(ofRealm realm: String) -> String {
    // The lengths of the three names. Most tenants are GUIDs, which are not folded here.
    guard [6, 9, 13].contains(realm.utf8.count) else { return realm }
    let isForAll = ["common", "organizations", "consumers"].contains(realm.lowercased())
    return isForAll && !tenantID.isEmpty ? tenantID : realm
  }

  /// The B2C policy in `<oid>-<policy>.<utid>`, lower case; nil if the object id is not
  /// a GUID followed by a policy.
  public var policy: String? {
    guard let object = halves?.0, object.utf8.count > GUID.length + 1 else { return nil }
    guard object.utf8.dropFirst(GUID.length).first == UInt8(ascii: "-"),
      GUID.isValid(object.utf8.prefix(GUID.length))
    else { return nil }
    return object.dropFirst(GUID.length + 1).lowercased()
  }

  /// The identifier without the policy, lower case; all policy accounts of one B2C user share it.
  public var personIdentifier: String {
    guard policy != nil else { return identifier.lowercased() }
    return (objectID.prefix(GUID.length) + "." + tenantID).lowercased()
  }

  /// Whether the part after the dot is a GUID.
  var hasTenant: Bool { GUID.isValid(tenantID.utf8) }
}
