import TokenVaultCrypto

// The name of the group, from its first backup on: a restore compares it with the name that the user
// gave. It is sealed like the directory of names, which a rotation leaves as it is; a renewal has to
// remove it.
extension GroupTransaction {
  /// Records the name of the group; nil removes it.
  package func setGroupName(_ name: String?) throws(StoreError) {
    guard let name else { return try database.removeMeta(Format.Meta.groupName.rawValue) }
    try database.setMeta(
      Format.Meta.groupName.rawValue,
      try keys.rows.sealRow(Padding.pad(Array(name.utf8)), header.associatedData(.groupName)))
  }

  /// The recorded name; nil if there is none.
  package func groupName() throws(StoreError) -> String? {
    guard let sealed = try database.meta(Format.Meta.groupName.rawValue) else { return nil }
    return String(
      decoding: try Padding.unpad(
        try keys.rows.openRow(sealed, header.associatedData(.groupName))), as: UTF8.self)
  }
}
