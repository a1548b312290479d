package import TokenVaultGroupStore
package import TokenVaultModel

/// The place that keeps a group's key.
package typealias GroupCustodyKind = GroupHeader.Custody

/// The properties of a group that are known without opening it.
package struct GroupDescription: Sendable {
  package let name: GroupName
  /// The group's manifest; nil if there is none.
  package let manifest: Manifests.Found?
  /// The content of the file's header; nil if the group has no file.
  package let file: (custody: GroupCustodyKind, generation: UInt64)?
  /// The file with this device's part of the group's key, and whether it exists; nil if the key has
  /// no such part.
  package let devicePart: (path: String, exists: Bool)?

  /// The custody in force: that of the file, otherwise the one that the file would be created with.
  package var custody: GroupCustodyKind? {
    file?.custody ?? manifest.map { GroupCustodyKind($0.manifest.custody) }
  }
}
