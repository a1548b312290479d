/// Names one generation of a group's key, wherever it is kept.
public struct GroupKeyID: Hashable, Sendable {
  /// The group's random id, 16 bytes.
  public let groupID: [UInt8]
  /// The generation, counted from the one that the group was made with.
  public let generation: UInt64

  /// The key of `generation` of the group with this id of 16 bytes.
  public init(groupID: [UInt8], generation: UInt64) {
    self.groupID = groupID
    self.generation = generation
  }

  var attributes: [(String, String)] {
    [("group", hexadecimal(groupID)), ("generation", String(generation))]
  }
}

/// How many bytes every group key has.
let groupKeySize = 32

func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
