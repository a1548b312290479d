import TokenVaultModel

extension AccountRecord {
  /// Version 2 adds the authorities and throttle entries that sign-ins leave behind, version 3 the
  /// issuers of refresh tokens, version 4 the account's own issuer. A record without them is encoded
  /// as the version before.
  private var version: UInt64 {
    if !issuer.isEmpty { return 4 }
    if stored.contains(where: { $0.issuer != nil }) { return 3 }
    return authorities.isEmpty && throttleEntries.isEmpty ? 1 : 2
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.number(version)
    for text in [homeAccountID, environment, authorityType.description, orphanClient, alias] {
      writer.text(text)
    }
    writer.list(profiles) { writer, profile in
      for text in [
        profile.tenantID, profile.localAccountID, profile.username, profile.environment,
      ] { writer.text(text) }
      writer.data(profile.claimsJSON)
      writer.data(profile.extraJSON)
    }
    writer.list(clients.sorted { $0.key < $1.key }) { writer, client in
      writer.text(client.key)
      writer.number(UInt64(client.value.rawValue))
    }
    writer.list(stored) { writer, stored in
      stored.credential.encode(into: &writer)
      writer.signed(stored.row)
      writer.data(stored.seal)
    }
    guard version > 1 else { return writer.bytes }
    writer.list(authorities.sorted { $0.key < $1.key }) { writer, authority in
      writer.text(authority.key)
      writer.text(authority.value)
    }
    writer.list(throttleEntries) { writer, throttle in
      writer.data(throttle.request)
      writer.signed(throttle.until.epochSeconds)
      writer.text(throttle.code)
      writer.text(throttle.suberror)
    }
    guard version > 2 else { return writer.bytes }
    writer.list(stored.indices.filter { stored[$0].issuer != nil }) { writer, index in
      writer.number(UInt64(index))
      writer.text(stored[index].issuer?.origin ?? "")
      writer.text(stored[index].issuer?.name ?? "")
    }
    if version > 3 { writer.text(issuer) }
    return writer.bytes
  }

  /// The environment under which MSAL stores the accounts of Microsoft's public cloud.
  private static let usualEnvironment = "login.windows.net"

  init(encoded bytes: [UInt8]) throws(StoreError) {
    var reader = ByteReader(bytes)
    let version = try reader.number()
    guard (1...4).contains(version) else { throw .damaged(rows: nil) }
    homeAccountID = try reader.text()
    environment = try reader.text(like: Self.usualEnvironment)
    authorityType = AuthorityType(cacheText: try reader.text(), environment: environment)
    orphanClient = try reader.text()
    issuer = ""
    alias = try reader.text()
    let environment = environment
    profiles = try reader.list { reader throws(StoreError) in
      Profile(
        tenantID: try reader.text(), localAccountID: try reader.text(),
        username: try reader.text(), environment: try reader.text(like: environment),
        claimsJSON: try reader.data(), extraJSON: try reader.data())
    }
    for (client, state) in try reader.list({ reader throws(StoreError) in
      (try reader.text(), try reader.number())
    }) {
      guard let state = UInt8(exactly: state).flatMap(SignInState.init(rawValue:)) else {
        throw .damaged(rows: nil)
      }
      clients[client] = state
    }
    stored = try reader.list { reader throws(StoreError) in
      StoredCredential(
        credential: try Credential(from: &reader, at: environment), row: try reader.signed(),
        seal: try reader.data())
    }
    if version > 1 { try readSignInFields(from: &reader) }
    if version > 2 { try readIssuers(from: &reader) }
    if version > 3 { issuer = try reader.text() }
    // Each record has exactly one encoding: without its fields it must have the version before.
    guard version == self.version else { throw .damaged(rows: nil) }
    try reader.end()
  }
}

extension AccountRecord {
  private mutating func readSignInFields(from reader: inout ByteReader) throws(StoreError) {
    for (client, authority) in try reader.list({ reader throws(StoreError) in
      (try reader.text(), try reader.text())
    }) {
      authorities[client] = authority
    }
    throttleEntries = try reader.list { reader throws(StoreError) in
      ThrottleEntry(
        request: try reader.data(), until: Timestamp(epochSeconds: try reader.signed()),
        code: try reader.text(), suberror: try reader.text())
    }
  }

  private mutating func readIssuers(from reader: inout ByteReader) throws(StoreError) {
    var previous = -1
    for (index, issuer) in try reader.list({ reader throws(StoreError) in
      (try reader.number(), Issuer(origin: try reader.text(), name: try reader.text()))
    }) {
      guard let index = Int(exactly: index), index > previous, index < stored.count else {
        throw .damaged(rows: nil)
      }
      stored[index].issuer = issuer
      previous = index
    }
  }
}
