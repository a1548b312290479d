import TokenVaultModel

/// The result for an item of a store.
struct ImportedItem {
  /// An account that the item has.
  struct Line {
    /// "added", "updated", "replaced" or "unchanged".
    let state: String
    let name: String
    let place: String
  }

  let item: StoreItem
  var lines: [Line] = []
  /// The number of secrets or tokens that were stored.
  var stored = 0
  /// Why it did not come in; nil if it did.
  var fault: String?
  var isRemoved = false
  /// Why it was not taken out, or what failed after that; nil if all went well, or if nobody asked.
  var stays: String?

  init(_ item: StoreItem) { self.item = item }

  /// The lines for people.
  var text: [String] {
    let name = PlainText.escaped(item.name)
    var texts = lines.map {
      "\($0.state)  \(PlainText.escaped($0.name))  \(PlainText.escaped($0.place))"
    }
    if let fault { texts.append("left out  \(name): \(fault)") }
    if isRemoved { texts.append("removed  \(name)" + (stays.map { ": \($0)" } ?? "")) }
    if let stays, fault == nil, !isRemoved { texts.append("stays  \(name): \(stays)") }
    return texts
  }

  /// A note on what the vault has no place for, or on the kind of the secret; nil for none.
  var note: String? {
    let name = PlainText.escaped(item.name)
    if case .secret(let password) = item.content, let remark = password.remark {
      return "\(name): \(remark)."
    }
    guard fault == nil, stays == nil, let rest = item.rest else { return nil }
    return "\(name): not imported: \(PlainText.escaped(rest))."
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("item", item.name)
      if let fault { writer.field("leftOut", fault) }
      writer.key("accounts")
      writer.array(lines) { writer, line in
        writer.object {
          $0.field("state", line.state)
          $0.field("username", line.name)
          $0.field("place", line.place)
        }
      }
      if let rest = item.rest { writer.field("notImported", rest) }
      if isRemoved { writer.field("removed", true) }
      if let stays { writer.field("stays", stays) }
    }
  }
}
