package import TokenVaultGroupStore
package import TokenVaultModel

/// Where a group's key is.
package typealias GroupCustodyKind = GroupHeader.Custody

/// What can be said of a group without opening it.
package struct GroupDescription: Sendable {
  package let name: GroupName
  /// Its manifest; nil when there is none.
  package let manifest: Manifests.Found?
  /// What its file's header says; nil when it has no file.
  package let file: (custody: GroupCustodyKind, generation: UInt64)?

  /// The custody in force: the file's, else the one it would be made with.
  package var custody: GroupCustodyKind? {
    file?.custody ?? manifest.map { GroupCustodyKind($0.manifest.custody) }
  }
}
