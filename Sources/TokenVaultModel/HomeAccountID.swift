/// MSAL's home account id: the id of an account in its home tenant.
public struct HomeAccountID: Hashable, Sendable {
  /// The opaque text (`uid.utid` for Microsoft Entra, the subject for other providers).
  public let identifier: String

  /// Every text is a home account id; only the properties below parse it.
  public init(_ identifier: String) { self.identifier = identifier }

  private var halves: (Substring, Substring)? {
    // Works on bytes, because a listing calls it several times for each account.
    let bytes = identifier.utf8
    // No part of `uid.utid` has a slash. The id of a stored secret contains a URL, and its host may
    // have a single dot.
    guard !bytes.contains(UInt8(ascii: "/")) else { return nil }
    guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let next = bytes.index(after: dot)
    guard !bytes[next...].contains(UInt8(ascii: ".")) else { return nil }
    return (identifier[..<dot], identifier[next...])
  }

  /// The part before the dot of `uid.utid`; the whole identifier if it has no such form.
  public var objectID: String { halves.map { String($0.0) } ?? identifier }
  /// The part after the dot of `uid.utid`; empty if the identifier has no such form.
  public var tenantID: String { halves.map { String($0.1) } ?? "" }

  /// The tenant that a cache's `realm` refers to. MSAL for Python, and with it Azure CLI, stores the
  /// tokens of an authority for all tenants under that authority's name, such as "common"; they are
  /// tokens of the home tenant.
  package func tenant(ofRealm realm: String) -> String {
    let isForAll = ["common", "organizations", "consumers"].contains(realm.lowercased())
    return isForAll && !tenantID.isEmpty ? tenantID : realm
  }

  /// The B2C policy in `<oid>-<policy>.<utid>`, lower case; nil if the object id is not
  /// a GUID followed by a policy.
  public var policy: String? {
    guard halves != nil else { return nil }
    let object = objectID.utf8
    let rest = object.dropFirst(GUID.length)
    guard rest.count > 1, rest.first == UInt8(ascii: "-"),
      GUID.isValid(object.prefix(GUID.length))
    else { return nil }
    return objectID.dropFirst(GUID.length + 1).lowercased()
  }

  /// The identifier without the policy, lower case; all policy accounts of one B2C user share it.
  public var personIdentifier: String {
    guard policy != nil else { return identifier.lowercased() }
    return (objectID.prefix(GUID.length) + "." + tenantID).lowercased()
  }

  /// Whether the part after the dot is a GUID.
  var hasTenant: Bool { GUID.isValid(tenantID.utf8) }
}
