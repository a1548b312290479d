internal import TokenVaultModel

/// Names one generation of a group's key, wherever it is kept.
package struct GroupKeyID: Hashable, Sendable {
  /// The group's random id, 16 bytes.
  package let groupID: [UInt8]
  /// The generation, counted from the one that the group was made with.
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

/// How many bytes every group key has.
let groupKeySize = 32
