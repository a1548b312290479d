/// The values of a file, in their order and by their paths.
struct Leaves: RandomAccessCollection {
  private let leaves: [Leaf]
  private let places: [[String]: [Int]]

  init(_ leaves: [Leaf]) {
    self.leaves = leaves
    places = Dictionary(grouping: leaves.indices) { leaves[$0].path }
  }

  var startIndex: Int { leaves.startIndex }
  var endIndex: Int { leaves.endIndex }
  subscript(index: Int) -> Leaf { leaves[index] }

  /// The last leaf at a path, which counts for most programs.
  func leaf(_ path: [String]) -> Leaf? { places[path]?.last.map { leaves[$0] } }

  /// All leaves of a name beside another one.
  func all(_ name: String, beside leaf: Leaf) -> [Leaf] {
    (places[Array(leaf.parent) + [name]] ?? []).map { leaves[$0] }
  }

  /// The last value at a path.
  func value(_ path: [String]) -> String? { leaf(path)?.value }

  /// The value beside another one.
  func value(_ name: String, beside leaf: Leaf) -> String? {
    value(Array(leaf.parent) + [name])
  }
}
