/// One precondition and the result of its check.
struct Finding {
  /// Stable, for JSON.
  let id: String
  let title: String
  /// Nil if the check passed.
  let failure: Failure?
  /// The observed state.
  let detail: String

  init(_ id: String, _ title: String, _ detail: String, failure: Failure? = nil) {
    self.id = id
    self.title = title
    self.detail = detail
    self.failure = failure
  }
}

extension Finding {
  var text: String {
    guard let failure else { return "ok       \(title): \(detail)\n" }
    return "FAILING  \(title): \(detail)\n" + (failure.next.map { "         next: \($0)\n" } ?? "")
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("check", id)
      writer.field("title", title)
      writer.field("ok", failure == nil)
      writer.field("detail", detail)
      if let next = failure?.next { writer.field("next", next) }
    }
  }
}
