package import TokenVaultCrypto

extension LockedGroup {
  /// Recognizes the key of this group and generation without opening anything else.
  package struct KeyCheck: Sendable {
    let sealed: [UInt8]
    let group: [UInt8]

    /// Whether `key` is the group's key for this generation.
    package func accepts(_ key: borrowing SecretBytes) -> Bool {
      do {
        _ = try LockedGroup.wrappingKey(key, group: group).open(
          sealed, associatedData: Format.associatedData(group: group, kind: .check))
        return true
      } catch { return false }
    }
  }

  /// The key check that is stored in the file.
  package func keyCheck() throws(StoreError) -> KeyCheck {
    guard let sealed = try database.meta(Format.Meta.check.rawValue) else {
      throw .damaged(rows: nil)
    }
    return KeyCheck(sealed: sealed, group: header.groupID)
  }
}
