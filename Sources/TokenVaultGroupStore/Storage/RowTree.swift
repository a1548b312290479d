import TokenVaultCrypto

/// A tree of keyed digests over the account rows. It tells the present version of a row from an
/// older one, and from a row that was added or moved, by reading a few small nodes.
///
/// A leaf has the digests of 64 account rows, by row number; an inner node has the digests of 64
/// nodes of the level below. The sealed state of the group has the root, so that a group of up to
/// 63 accounts needs no other node. The nodes are in the table `meta`.
///
/// Changes are kept in memory until ``write()``.
struct RowTree {
  /// The part of the tree that authenticates all others.
  struct Root: Hashable, Sendable {
    /// No row with a greater number has a digest.
    var last: Int64 = 0
    /// The level of the node; 0 if its digests are those of account rows.
    var level = 0
    var node = DigestNode()
  }

  /// The place of a node.
  private struct Position {
    let level: Int
    let index: Int64

    var parent: Position { Position(level: level + 1, index: index >> 6) }
    /// The entry of the parent that has the digest of this node.
    var entry: Int { Int(index & 63) }
    var number: Int64 { Int64(level) << 40 | index }
    /// The row of the table `meta`.
    var row: Int64 { -1 - number }
  }

  /// A node in memory.
  private struct KnownNode {
    let position: Position
    var node: DigestNode
    var isChanged: Bool
  }

  private(set) var root: Root
  private let database: Database
  private let key: TagKey
  /// The nodes that were verified or changed, in the order of their numbers. The runtime would need
  /// 0.1 ms to make the first dictionary with a key of its own type.
  private var known: [KnownNode] = []
  private var replacesAll = false
  private var isLastRemoved = false

  /// The tree in the file.
  init(_ root: Root, in database: Database, key: TagKey) {
    (self.root, self.database, self.key) = (root, database, key)
  }

  /// A tree without digests. When it is written, it replaces the one in the file.
  init(replacing database: Database, key: TagKey) {
    self.init(Root(), in: database, key: key)
    replacesAll = true
  }

  // MARK: Digests

  /// The digest of the account row with this number; nil if there is no account.
  /// - Throws: ``StoreError/damaged(rows:)`` if a node is not the present one.
  mutating func digest(ofRow row: Int64) throws(StoreError) -> [UInt8]? {
    try leaf(ofRow: row)[Int(row & 63)]
  }

  /// The digests of the account rows from `row` rounded down to a multiple of 64; none of them has one
  /// if `row` is beyond the last account.
  /// - Throws: As ``digest(ofRow:)``.
  mutating func leaf(ofRow row: Int64) throws(StoreError) -> DigestNode {
    guard row > 0, row <= root.last else { return DigestNode() }
    return try load(Position(level: 0, index: row >> 6))
  }

  /// Sets the digest of the account row with this number; nil removes it.
  mutating func set(_ digest: [UInt8]?, ofRow row: Int64) throws(StoreError) {
    guard row > 0, row < 1 << (6 * (Self.highestLevel + 1)) else { throw .damaged(rows: nil) }
    while row >= 1 << (6 * (root.level + 1)) { grow() }
    root.last = max(root.last, row)
    let leaf = Position(level: 0, index: row >> 6)
    var node = try load(leaf)
    node[Int(row & 63)] = digest
    put(node, leaf)
    guard digest == nil, row == root.last else { return }
    root.last -= 1
    isLastRemoved = true
  }

  /// The numbers of all rows that have a digest, and the number of nodes apart from the root.
  ///
  /// The tree must have been written.
  mutating func census() throws(StoreError) -> (rows: Set<Int64>, nodes: Int) {
    var found: (rows: Set<Int64>, nodes: Int) = ([], 0)
    var level = [Position(level: root.level, index: 0)]
    while let depth = level.first?.level {
      var next: [Position] = []
      for position in level {
        let node = try load(position)
        for entry in 0..<DigestNode.width where node[entry] != nil {
          let child = position.index << 6 | Int64(entry)
          if depth == 0 {
            found.rows.insert(child)
          } else {
            next.append(Position(level: depth - 1, index: child))
          }
        }
      }
      found.nodes += next.count
      level = next
    }
    return found
  }

  /// A level above this one would need more than 2^36 accounts.
  static let highestLevel = 5

  private mutating func grow() {
    keep(root.node, Position(level: root.level, index: 0), isChanged: true)
    root.node = DigestNode()
    root.level += 1
  }

  // MARK: Nodes

  private mutating func load(_ position: Position) throws(StoreError) -> DigestNode {
    if position.level == root.level { return root.node }
    let place = search(position)
    if place.isKnown { return known[place.index].node }
    guard let expected = try load(position.parent)[position.entry] else { return DigestNode() }
    guard let bytes = try database.meta(position.row) else { throw .damaged(rows: nil) }
    let node = try DigestNode(bytes)
    guard try digest(of: node, at: position) == expected else { throw .damaged(rows: nil) }
    keep(node, position, isChanged: false)
    return node
  }

  private mutating func put(_ node: DigestNode, _ position: Position) {
    guard position.level < root.level else {
      root.node = node
      return
    }
    keep(node, position, isChanged: true)
  }

  private mutating func keep(_ node: DigestNode, _ position: Position, isChanged: Bool) {
    let entry = KnownNode(position: position, node: node, isChanged: isChanged)
    let place = search(position)
    if place.isKnown { known[place.index] = entry } else { known.insert(entry, at: place.index) }
  }

  /// Where the node is, or belongs, among the known ones.
  private func search(_ position: Position) -> (index: Int, isKnown: Bool) {
    var (low, high) = (0, known.count)
    while low < high {
      let middle = (low + high) / 2
      if known[middle].position.number < position.number { low = middle + 1 } else { high = middle }
    }
    return (low, low < known.count && known[low].position.number == position.number)
  }

  private func digest(of node: DigestNode, at position: Position) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.text("node")
    writer.number(UInt64(position.level))
    writer.number(UInt64(position.index))
    writer.data(node.bytes)
    return Array(try key.rowTag(writer.bytes).prefix(DigestNode.digestSize))
  }

  /// Writes the changed nodes, each once, and brings the root up to date.
  mutating func write() throws(StoreError) {
    if replacesAll { try database.statement("DELETE FROM meta WHERE id < 0").run() }
    replacesAll = false
    for level in 0..<root.level {
      for entry in known where entry.isChanged && entry.position.level == level {
        let (position, node) = (entry.position, entry.node)
        var parent = try load(position.parent)
        if node.isEmpty {
          try database.removeMeta(position.row)
          parent[position.entry] = nil
        } else {
          try database.setMeta(position.row, node.bytes)
          parent[position.entry] = try digest(of: node, at: position)
        }
        put(parent, position.parent)
      }
    }
    for index in known.indices { known[index].isChanged = false }
    guard isLastRemoved else { return }
    do { try shrink() } catch {
      // A damaged node keeps its rows and its place.
      guard case .damaged = error else { throw error }
    }
    isLastRemoved = false
  }

  /// Finds the last row, and ends with the lowest level that reaches it. New accounts get the number
  /// after it, so that the numbers do not reveal how many accounts there have been.
  private mutating func shrink() throws(StoreError) {
    var last: Int64 = 0
    for level in (0...root.level).reversed() where !root.node.isEmpty {
      last = last << 6 | Int64(try load(Position(level: level, index: last)).lastEntry)
    }
    root.last = last
    while root.level > 0, last < 1 << (6 * root.level) {
      let position = Position(level: root.level - 1, index: 0)
      root.node = try load(position)
      root.level -= 1
      known.removeAll { $0.position.number == position.number }
      try database.removeMeta(position.row)
    }
  }
}
