/// In a file of format version 1, an additive multiset hash over the account rows: the sum modulo 2^256 of one keyed digest per
/// row. It detects a row that is missing, was added, or was replaced by an older version, and each
/// write updates it at constant cost.
struct RowSum: Hashable, Sendable {
  /// The least significant word first.
  private(set) var words: [UInt64] = [0, 0, 0, 0]

  mutating func add(_ digest: [UInt8]) { combine(digest) { $0.addingReportingOverflow($1) } }
  mutating func subtract(_ digest: [UInt8]) {
    combine(digest) { $0.subtractingReportingOverflow($1) }
  }

  private mutating func combine(
    _ digest: [UInt8], _ operation: (UInt64, UInt64) -> (partialValue: UInt64, overflow: Bool)
  ) {
    var carry: UInt64 = 0
    for index in 0..<4 {
      let word = digest[(index * 8)..<(index * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
      let first = operation(words[index], word)
      let second = operation(first.partialValue, carry)
      words[index] = second.partialValue
      carry = first.overflow || second.overflow ? 1 : 0
    }
  }

  init() {}
  init(words: [UInt64]) throws(StoreError) {
    guard words.count == 4 else { throw .damaged(rows: nil) }
    self.words = words
  }
}
