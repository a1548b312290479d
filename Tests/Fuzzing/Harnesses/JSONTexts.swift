import TokenVaultModel

/// JSON, and changes of single members of it, which keep every other byte.
enum JSONTexts {
  static func read(_ input: [UInt8]) {
    do throws(JSONError) {
      let value = try JSONValue(parsing: input)
      for text in [value.bytes, value.prettyBytes] {
        // Members are written in the order of their names.
        let again = try JSONValue(parsing: text)
        precondition(again.bytes == value.bytes)
      }
      var edit = try JSONEdit(input)
      let path = ["credHelpers", "a.example"]
      guard edit.value(at: path) == nil, edit.value(at: Array(path.prefix(1))) != nil,
        edit.set(.string("tokenvault"), at: path)
      else { return }
      precondition(edit.value(at: path) == .string("tokenvault"))
      precondition(edit.remove(at: path) && edit.bytes == input)
    } catch { precondition(!"\(error)".isEmpty) }
  }
}
