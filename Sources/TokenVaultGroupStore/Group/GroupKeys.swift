import TokenVaultCrypto

/// The key of one generation, and the keys that are derived from it or opened with it.
final class GroupKeys {
  /// The group's key of generation g, K(g).
  let key: SecretBytes
  /// Derived from K(g). Seals everything that the key of a later generation must not open: account
  /// keys, the lookup key, the check, the state and the extras.
  let wrap: SealingKey
  /// Random. A rotation keeps it, and a renewal replaces it.
  let lookup: SecretBytes
  /// Derived from the lookup key. Computes the tags by which rows are found.
  let tags: TagKey
  /// Derived from the lookup key. Seals the directory of names, which contains only tags.
  let rows: SealingKey

  init(key: consuming SecretBytes, lookup: consuming SecretBytes, group: [UInt8]) throws(StoreError)
  {
    wrap = try LockedGroup.wrappingKey(key, group: group)
    let tagKey = try Format.derive(lookup, group: group, purpose: "tags")
    let rowKey = try Format.derive(lookup, group: group, purpose: "rows")
    do {
      tags = try TagKey(tagKey)
      rows = try SealingKey(rowKey)
    } catch { throw .crypto }
    self.key = key
    self.lookup = lookup
  }

  convenience init(
    opening database: Database, header: GroupHeader, key: consuming SecretBytes
  ) throws(StoreError) {
    let wrap = try LockedGroup.wrappingKey(key, group: header.groupID)
    guard let sealed = try database.meta(Format.Meta.lookupKey.rawValue) else {
      throw .damaged(rows: nil)
    }
    let lookup: SecretBytes
    do {
      lookup = try wrap.openSecret(sealed, associatedData: try header.lookupKeyData())
    } catch let error as CryptoError {
      guard error == .failed else { throw .crypto }
      throw try Self.openingFailure(database, header: header, wrap: wrap)
    } catch let error as StoreError {
      throw error
    } catch { throw .crypto }
    try self.init(key: key, lookup: lookup, group: header.groupID)
  }

  /// Why the lookup key does not open. The check distinguishes a wrong key from a damaged file. A
  /// rotation after the header was read makes the right key look wrong, so this reads the header
  /// again.
  private static func openingFailure(
    _ database: Database, header: GroupHeader, wrap: SealingKey
  ) throws(StoreError) -> StoreError {
    guard try LockedGroup.readHeader(database) == header else { return .generationChanged }
    guard let check = try database.meta(Format.Meta.check.rawValue) else {
      return .damaged(rows: nil)
    }
    let data = Format.associatedData(group: header.groupID, kind: .check)
    do {
      _ = try wrap.open(check, associatedData: data)
      return .damaged(rows: nil)
    } catch { return error == .failed ? .wrongKey : .crypto }
  }

  /// Writes the header, and the check and the lookup key, which are sealed under K(g).
  func write(to database: Database, header: GroupHeader) throws(StoreError) {
    let check: [UInt8]
    let sealedLookup: [UInt8]
    do {
      check = try wrap.seal(
        Format.checkPlaintext,
        associatedData: Format.associatedData(group: header.groupID, kind: .check))
      sealedLookup = try wrap.seal(lookup, associatedData: try header.lookupKeyData())
    } catch let error as StoreError { throw error } catch { throw .crypto }
    try database.setMeta(Format.Meta.header.rawValue, try header.encoded())
    try database.setMeta(Format.Meta.check.rawValue, check)
    try database.setMeta(Format.Meta.lookupKey.rawValue, sealedLookup)
  }
}
