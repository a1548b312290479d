import TokenVault

extension Selection.Rule {
  /// Why the group or account was selected, as part of a sentence.
  func reason(isAccount: Bool) -> String {
    switch self {
    case .option: isAccount ? "set by --account" : "set by --group"
    case .variable:
      isAccount ? "set by TOKENVAULT_ACCOUNT" : "set by TOKENVAULT_GROUP"
    case .rule(let conditions): "set by the rule for \(conditions.words)"
    case .configuration(let path): "the default in \(PlainText.escaped(path))"
    case .service:
      isAccount ? "the stored secret of the service" : "the group for secrets of services"
    case .standard: isAccount ? "the group's current account" : "the built-in default"
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch self {
      case .option: writer.field("kind", "option")
      case .variable: writer.field("kind", "environment")
      case .rule(let conditions):
        writer.field("kind", conditions.parts.first?.kind ?? "directory")
        writer.field("source", conditions.description)
      case .configuration(let path):
        writer.field("kind", "configuration")
        writer.field("source", path)
      case .service: writer.field("kind", "service")
      case .standard: writer.field("kind", "default")
      }
    }
  }
}

extension RuleConditions {
  /// The conditions as part of a sentence.
  var words: String {
    parts.map { kind, text in
      (kind == "directory" ? "" : kind + " ") + PlainText.escaped(text)
    }.joined(separator: " and ")
  }
}
