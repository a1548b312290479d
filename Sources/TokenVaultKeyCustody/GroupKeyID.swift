internal import TokenVaultModel

/// Identifies one generation of a group's key in every custody that stores keys.
package struct GroupKeyID: Hashable, Sendable {
  /// The group's random id, 16 bytes.
  package let groupID: [UInt8]
  /// The generation; a group is created with generation 1.
  package let generation: UInt64

  /// The key of `generation` of the group with this id of 16 bytes.
  package init(groupID: [UInt8], generation: UInt64) {
    self.groupID = groupID
    self.generation = generation
  }

  /// The group's id as the keyring's attribute and the kernel keyring's description have it.
  var hexadecimalGroupID: String { Hexadecimal.encode(groupID) }

  /// The attributes of the keyring's item.
  var attributes: [(String, String)] {
    [("group", hexadecimalGroupID), ("generation", String(generation))]
  }
}

/// The size of every group key in bytes.
let groupKeySize = 32
