import TokenVaultModel

/// The secrets of one file, and the file without some of them. It reads and writes nothing.
package struct PlaintextFile: Sendable {
  package let format: PlaintextFormat
  package let bytes: [UInt8]
  package let secrets: [PlaintextSecret]
  private let context: PlaintextContext

  /// Finds the secrets. A file that is not understood is searched for the words that stand before a
  /// secret, and nothing of it can be removed.
  package init(
    _ bytes: [UInt8], _ format: PlaintextFormat, context: PlaintextContext = PlaintextContext()
  ) {
    self.format = format
    self.bytes = bytes
    self.context = context
    do { secrets = try format.secrets(in: bytes, context) } catch {
      secrets = WordSearch.secrets(in: bytes, words: format.words, error)
    }
  }

  /// The ranges that a removal of these findings takes out, in their order.
  package func cuts(_ indices: Set<Int>) throws(PlaintextError) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var nodes: Set<[Int]> = []
    for index in indices {
      guard secrets[index].obstacle == nil else { throw .notSeparable }
      for cut in secrets[index].cuts {
        switch cut {
        case .bytes(let range): ranges.append(range)
        case .node(let path): nodes.insert(path)
        case .kept: throw .notSeparable
        }
      }
    }
    if !nodes.isEmpty { ranges += try JSONText(bytes).cuts(nodes) }
    return Self.united(ranges)
  }

  /// The file without these findings; all other bytes stay.
  /// - Throws: ``PlaintextError/notSeparable`` if the rest would not be read as the same secrets.
  package func removing(_ indices: Set<Int>) throws(PlaintextError) -> [UInt8] {
    var rest = bytes
    for range in try cuts(indices).reversed() { rest.removeSubrange(range) }
    let kept = secrets.indices.filter { !indices.contains($0) }.map { secrets[$0] }
    let now: [PlaintextSecret]
    // An emptied file has nothing to read.
    now = rest.isEmpty ? [] : try format.secrets(in: rest, context)
    guard now.count == kept.count, zip(now, kept).allSatisfy({ $0.isSame(as: $1) }) else {
      throw .notSeparable
    }
    return rest
  }

  private static func united(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var united: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = united.last, last.upperBound >= range.lowerBound {
        united[united.count - 1] =
          last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        united.append(range)
      }
    }
    return united
  }
}
