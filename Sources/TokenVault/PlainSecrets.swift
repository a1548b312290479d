import TokenVaultGroupStore
package import TokenVaultCrypto
package import TokenVaultModel

/// Where a password or personal access token is for: an origin and a path, without the user.
public struct ServiceURL: Hashable, Sendable, CustomStringConvertible {
  /// The normalised URL: scheme and host in lower case, no trailing slash.
  public let description: String
  /// The host, with its port where one is given.
  public let host: String

  /// Returns nil for what is no absolute http or https URL with a host, or has user information,
  /// a query, a fragment, spaces, control or other characters outside of ASCII (a host beyond it
  /// has to be in its `xn--` form, so that two that look alike are not one).
  public init?(_ text: String) {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      return nil
    }
    // A bare host means https, as git and docker take it.
    let isBare = !text.contains("://")
    let scheme = isBare ? "https" : text.prefix { $0 != ":" }.lowercased()
    let rest = isBare ? text[...] : text.dropFirst(scheme.count + 3)
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    var host = rest[..<end].lowercased()
    let usual = scheme == "http" ? ":80" : ":443"
    if host.hasSuffix(usual) { host.removeLast(usual.count) }
    var path = String(rest[end...])
    while path.hasSuffix("/") { path.removeLast() }
    guard ["http", "https"].contains(scheme), Self.isAuthority(host),
      !rest.contains(where: { "?#\\\"<>".contains($0) })
    else { return nil }
    self.host = host
    description = "\(scheme)://\(host)\(path)"
  }

  /// A host name or address (RFC 3986 section 3.2.2), with a port where one is given.
  private static func isAuthority(_ text: String) -> Bool {
    let isLiteral = text.hasPrefix("[")
    guard let end = isLiteral ? text.firstIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex
    else { return false }
    let name = isLiteral ? text[text.index(after: text.startIndex)..<end] : text[..<end]
    let rest = isLiteral ? text[text.index(after: end)...] : text[end...]
    let digits = rest.dropFirst().utf8
    let isPort =
      rest.isEmpty
      || rest.hasPrefix(":") && digits.allSatisfy { (0x30...0x39).contains($0) }
        && (UInt16(rest.dropFirst()) ?? 0) > 0
    return isPort && !name.isEmpty
      && name.utf8.allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0)
          || (isLiteral ? ":." : "-._").utf8.contains($0)
      }
  }
}

extension VaultCore {
  /// Stores a password or token of a service, in the place of the one that the user name had.
  @discardableResult
  package func addSecret(
    _ secret: Redacted<[UInt8]>, service: ServiceURL, username: String
  ) throws(VaultError) -> (account: Account, madeGroup: Bool) {
    guard !username.isEmpty, username.utf8.count <= 1024,
      !username.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f })
    else { throw .invalid(.username) }
    guard !secret.reveal().isEmpty else { throw .invalid(.secret) }
    var record = AccountRecord(
      homeAccountID: "\(username)@\(service)", environment: service.host, authorityType: .secret)
    let bytes = secret.reveal().count
    try vaultErrors(group) {
      try CredentialPayload.requireStorable(secretBytes: bytes, extraBytes: 0)
    }
    let isShared = try deviceInformation().mode == .shared
    record.profiles = [
      AccountRecord.Profile(
        tenantID: "", localAccountID: username, username: username, environment: service.host)
    ]
    let madeGroup = try createIfMissing()
    let now = now
    let account = try write { [record] transaction in
      var stored =
        try transaction.account(tag: try transaction.tag(of: record.identity))
        ?? transaction.insert(record)
      var credential = Credential(kind: .secret, clientID: "", environment: service.host)
      credential.target = service.description
      credential.lastModified = now
      try transaction.store(credential, CredentialPayload(secret: secret), in: &stored)
      try transaction.update(&stored)
      if isShared { try self.requireAlone([stored.tag], in: transaction) }
      return self.account(stored, in: transaction)
    }
    return (account, madeGroup)
  }
}
