import TokenVaultModel

/// A JSON text with the place of each value in it.
struct JSONText {
  struct Node {
    let range: Range<Int>
    var children: [Child] = []
  }

  struct Child {
    /// Nil for an element of an array.
    let name: String?
    /// The beginning of the name or the element.
    let start: Int
    let node: Node
  }

  private let bytes: [UInt8]
  private let root: Node

  init(_ bytes: [UInt8]) throws(PlaintextError) {
    do { _ = try JSONValue(parsing: bytes) } catch {
      guard case .syntax(let at) = error else { throw .notUnderstood(line: 1) }
      throw .notUnderstood(line: bytes.prefix(at).count { $0 == 0x0a } + 1)
    }
    self.bytes = bytes
    var reader = Reader(bytes)
    root = reader.value()
  }

  /// The ranges without which the text has none of these values, and is JSON still.
  func cuts(_ paths: Set<[Int]>) -> [Range<Int>] { cuts(paths, in: root, at: []) }

  private func cuts(_ paths: Set<[Int]>, in node: Node, at path: [Int]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var hasKept = false
    for (index, child) in node.children.enumerated() {
      let own = path + [index]
      guard paths.contains(own) else {
        hasKept = true
        ranges += cuts(paths, in: child.node, at: own)
        continue
      }
      // With the comma in front, if a value stays there; otherwise with the one behind.
      if hasKept {
        ranges.append(node.children[index - 1].node.range.upperBound..<child.node.range.upperBound)
      } else if index + 1 < node.children.count {
        ranges.append(child.start..<node.children[index + 1].start)
      } else {
        ranges.append(child.start..<child.node.range.upperBound)
      }
    }
    return ranges
  }

  /// No tool's file has more values, or deeper ones.
  private static let limits = (count: 200_000, depth: 32)

  /// The texts and numbers. A file that has more of them than any tool writes is not understood.
  func leaves() throws(PlaintextError) -> Leaves {
    var leaves: [Leaf] = []
    try addLeaves(of: root, at: [], [], to: &leaves)
    return Leaves(leaves)
  }

  private func addLeaves(
    of node: Node, at path: [String], _ indices: [Int], to leaves: inout [Leaf]
  ) throws(PlaintextError) {
    guard leaves.count < Self.limits.count, path.count < Self.limits.depth else {
      throw .notUnderstood(line: bytes[..<node.range.lowerBound].count { $0 == 0x0a } + 1)
    }
    guard bytes[node.range.lowerBound] == 0x7b || bytes[node.range.lowerBound] == 0x5b else {
      leaves.append(Leaf(path: path, value: Self.text(bytes[node.range]), cut: .node(indices)))
      return
    }
    for (index, child) in node.children.enumerated() {
      try addLeaves(
        of: child.node, at: path + [child.name ?? "\(index)"], indices + [index], to: &leaves)
    }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    // absent is an answer: a part of a text that has been parsed can be parsed.
    do {
      switch try JSONValue(parsing: Array(bytes)) {
      case .string(let text), .number(let text): return text
      default: return nil
      }
    } catch { return nil }
  }

  /// Finds the places in a text that has been parsed: its depth is bounded.
  private struct Reader {
    let bytes: [UInt8]
    var at: Int

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      at = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    }

    private mutating func skipSpace() {
      while at < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[at]) { at += 1 }
    }

    private mutating func string() -> Range<Int> {
      let start = at
      at += 1
      while bytes[at] != UInt8(ascii: "\"") { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
      at += 1
      return start..<at
    }

    mutating func value() -> Node {
      skipSpace()
      let start = at
      switch bytes[at] {
      case UInt8(ascii: "\""): return Node(range: string())
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = bytes[at] == UInt8(ascii: "{")
        at += 1
        let children = self.children(isObject)
        at += 1
        return Node(range: start..<at, children: children)
      default:
        while at < bytes.count, !" \t\r\n,]}".utf8.contains(bytes[at]) { at += 1 }
        return Node(range: start..<at)
      }
    }

    private mutating func children(_ isObject: Bool) -> [Child] {
      var children: [Child] = []
      skipSpace()
      while !"}]".utf8.contains(bytes[at]) {
        let start = at
        var name: String?
        if isObject {
          name = JSONText.text(bytes[string()])
          skipSpace()
          at += 1
        }
        children.append(Child(name: name, start: start, node: value()))
        skipSpace()
        if bytes[at] == UInt8(ascii: ",") { at += 1 }
        skipSpace()
      }
      return children
    }
  }
}
