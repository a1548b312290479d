/// An editable line of text.
struct TextField: Hashable, Sendable {
  let label: String
  /// The text of a field for a secret, which is never shown.
  let hidden: HiddenText?
  private var scalars: [Unicode.Scalar]
  private var cursor: Int

  init(_ label: String, _ text: String) {
    self.label = label
    hidden = nil
    scalars = Array(text.unicodeScalars)
    cursor = scalars.count
  }

  init(_ label: String, hidden: HiddenText) {
    self.label = label
    self.hidden = hidden
    (scalars, cursor) = ([], 0)
  }

  var isEmpty: Bool { hidden.map { $0.count == 0 } ?? text.isEmpty }

  /// The text without the spaces around it, which pasting often adds.
  var text: String {
    let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " }
    let start = scalars.drop(while: isSpace)
    let end = start.reversed().prefix(while: isSpace).count
    return String(String.UnicodeScalarView(start.dropLast(end)))
  }

  mutating func take(_ key: Key) {
    if let hidden { return hidden.take(key) }
    switch key {
    case .pasted("\n"): take(.pasted(" "))
    case .character(let scalar), .pasted(let scalar):
      // No value that is typed here contains characters that a terminal would interpret.
      guard PlainText.escaped(String(scalar)) == String(scalar), scalars.count < 2048 else {
        return
      }
      scalars.insert(scalar, at: cursor)
      cursor += 1
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(scalars.count, cursor + 1)
    case .home: cursor = 0
    case .end: cursor = scalars.count
    case .erase where cursor > 0:
      cursor -= 1
      scalars.remove(at: cursor)
    case .delete where cursor < scalars.count: scalars.remove(at: cursor)
    case .eraseLine:
      scalars = []
      cursor = 0
    default: break
    }
  }

  /// The part of the text around the cursor that fits, and the cursor's column in it.
  func window(_ columns: Int) -> (text: String, cursor: Int) {
    if let hidden {
      let stars = String(repeating: "*", count: min(hidden.count, columns - 1))
      return (stars, stars.utf8.count)
    }
    func width(_ part: ArraySlice<Unicode.Scalar>) -> Int {
      PlainText.width(String(String.UnicodeScalarView(part)))
    }
    var start = 0
    while start < cursor, width(scalars[start..<cursor]) >= columns { start += 1 }
    var end = cursor
    while end < scalars.count, width(scalars[start...end]) <= columns { end += 1 }
    return (String(String.UnicodeScalarView(scalars[start..<end])), width(scalars[start..<cursor]))
  }
}
