import TokenVaultModel

/// The secrets of one file, and the file without some of them. It reads and writes nothing.
package struct PlaintextFile: Sendable {
  package let format: PlaintextFormat
  package let bytes: [UInt8]
  package let secrets: [PlaintextSecret]
  /// Why the file is not understood; nil if it is. It may have secrets that are not found.
  package let fault: PlaintextError?
  private let context: PlaintextContext

  /// Finds the secrets. A file that is not understood is searched for the words that stand before a
  /// secret, and nothing of it can be removed.
  package init(
    _ bytes: [UInt8], _ format: PlaintextFormat, context: PlaintextContext = PlaintextContext()
  ) {
    self.format = format
    self.bytes = bytes
    self.context = context
    do {
      secrets = try format.secrets(in: bytes, context)
      fault = format.isText ? Self.strangeLine(bytes) : nil
    } catch {
      secrets = WordSearch.secrets(in: bytes, words: format.words, error)
      fault = error
    }
  }

  /// The first line that is not text, as in UTF-16. A comment may be.
  private static func strangeLine(_ bytes: [UInt8]) -> PlaintextError? {
    for line in TextLine.all(bytes) {
      let content = bytes[line.content]
      let isComment = content.first { $0 != 0x20 && $0 != 0x09 }.map { "#;".utf8.contains($0) }
      let isText = String(validating: content, as: UTF8.self) != nil
      if content.contains(0) || !isText && isComment != true {
        return .notUnderstood(line: line.number)
      }
    }
    return nil
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
    var rest: [UInt8] = []
    var end = 0
    for range in try cuts(indices) {
      rest += bytes[end..<range.lowerBound]
      end = range.upperBound
    }
    rest += bytes[end...]
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
