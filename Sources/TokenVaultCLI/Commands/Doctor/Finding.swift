/// One precondition and the result of its check.
struct Finding {
  /// The consequence of a check, in JSON under `level`.
  enum Level: String {
    case ok
    /// Something is missing, and some commands cannot work. The group in force can be used.
    case warning
    case failing
  }

  /// Stable, for JSON.
  let id: String
  let title: String
  /// Nil if the check passed.
  let failure: Failure?
  /// The observed state.
  let detail: String
  /// The commands that do not work without this precondition, if others do.
  let stops: [String]
  /// The faults that `doctor --fix` has corrected, as clauses.
  var corrections: [String] = []

  init(
    _ id: String, _ title: String, _ detail: String, failure: Failure? = nil, stops: [String] = []
  ) {
    self.id = id
    self.title = title
    self.detail = detail
    self.failure = failure
    self.stops = stops
  }

  var level: Level { failure == nil ? .ok : stops.isEmpty ? .failing : .warning }

  /// The next command. Inside a diagnosis, the advice to run one leads nowhere.
  private var next: String? {
    guard let next = failure?.next, next == Failure.doctor else { return failure?.next }
    return "report the message with the output of: tokenvault --version"
  }
}

extension Finding {
  var text: String {
    let indentation = "\n         "
    let label =
      switch level {
      case .ok: corrections.isEmpty ? "ok     " : "fixed  "
      case .warning: "warning"
      case .failing: "FAILING"
      }
    var text = "\(label)  \(title): \(detail)"
    for correction in corrections { text += indentation + "fixed: " + correction }
    if level == .warning { text += indentation + "affects: " + stops.joined(separator: ", ") }
    if let next { text += indentation + "next: " + next }
    if next != nil, let note = failure?.note {
      text += note.split(separator: "\n").map { indentation + $0 }.joined()
    }
    return text + "\n"
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("check", id)
      writer.field("title", title)
      writer.field("ok", failure == nil)
      writer.field("level", level.rawValue)
      writer.field("detail", detail)
      if level == .warning {
        writer.key("stops")
        writer.array(stops) { $0.string($1) }
      }
      if !corrections.isEmpty {
        writer.key("fixed")
        writer.array(corrections) { $0.string($1) }
      }
      if let next {
        writer.field("next", next)
        if let note = failure?.note { writer.field("note", note) }
      }
    }
  }
}
