/// A value of a configuration file.
struct Leaf {
  /// The names of the sections and members that lead to it, its own last. Elements of a list are
  /// counted from 0.
  let path: [String]
  /// Nil if it is not text, or in a form that is not understood.
  let value: String?
  let cut: Cut

  var name: String { path.last ?? "" }
  var parent: ArraySlice<String> { path.dropLast() }

  /// The place in words.
  var place: String { path.joined(separator: ".") }
}
