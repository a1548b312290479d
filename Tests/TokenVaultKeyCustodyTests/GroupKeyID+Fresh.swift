import TokenVaultKeyCustody
import TokenVaultModel

extension GroupKeyID {
  /// A key id that no other test uses.
  static func fresh(generation: UInt64 = 1) -> GroupKeyID {
    GroupKeyID(
      groupID: (0..<16).map { _ in UInt8.random(in: 0...255) }, generation: generation)
  }

  func with(generation: UInt64) -> GroupKeyID {
    GroupKeyID(groupID: groupID, generation: generation)
  }

  var hexGroup: String { Hexadecimal.encode(groupID) }
}
