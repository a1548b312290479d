/// MSAL's home account id: who a person is in the tenant they come from.
public struct HomeAccountID: Hashable, Sendable {
  /// The opaque text (`uid.utid` for Microsoft Entra, the subject for other providers).
  public let identifier: String

  /// Any text is a home account id; it is not parsed but by the two properties below.
  public init(_ identifier: String) { self.identifier = identifier }

  private var halves: (Substring, Substring)? {
    // By bytes: it runs several times for each account of a listing.
    let bytes = identifier.utf8
    guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let next = bytes.index(after: dot)
    guard !bytes[next...].contains(UInt8(ascii: ".")) else { return nil }
    return (identifier[..<dot], identifier[next...])
  }

  /// The part before the dot of `uid.utid`; the whole identifier where it has no such form.
  public var objectID: String { halves.map { String($0.0) } ?? identifier }
  /// The part after the dot of `uid.utid`; empty where the identifier has no such form.
  public var tenantID: String { halves.map { String($0.1) } ?? "" }

  /// The tenant that a cache's `realm` means. MSAL for Python, and with it Azure CLI, keeps what
  /// an authority for all tenants gave under that authority's word: it is the home tenant's.
  package func tenant(ofRealm realm: String) -> String {
    let isForAll = ["common", "organizations", "consumers"].contains(realm.lowercased())
    return isForAll && !tenantID.isEmpty ? tenantID : realm
  }

  /// The B2C policy in `<oid>-<policy>.<utid>`, lower case; nil where the object id is not
  /// a GUID with a policy behind it.
  public var policy: String? {
    guard halves != nil else { return nil }
    let object = objectID.utf8
    let rest = object.dropFirst(GUID.length)
    guard rest.count > 1, rest.first == UInt8(ascii: "-"),
      GUID.isValid(object.prefix(GUID.length))
    else { return nil }
    return objectID.dropFirst(GUID.length + 1).lowercased()
  }

  /// The same for all policies of one B2C person: the identifier without the policy, lower case.
  public var personIdentifier: String {
    guard policy != nil else { return identifier.lowercased() }
    return (objectID.prefix(GUID.length) + "." + tenantID).lowercased()
  }

  /// Whether it names a tenant in the form of a GUID.
  var hasTenant: Bool { GUID.isValid(tenantID.utf8) }
}
