import TokenVaultModel
import TokenVaultPlaintext
import TokenVaultSignIn

/// The result of an audit as text and as JSON. It has no part of a secret.
struct AuditReport {
  let audit: Audit
  let now: Timestamp
  var imported: [Audit.Finding: AuditVault.Outcome]?
  var removal: AuditRemoval?

  /// The findings that are in plaintext still.
  var remaining: [Audit.Finding] {
    audit.findings.filter { !(removal?.chosen.contains($0) ?? false) }
  }

  // MARK: Text

  var text: String {
    audit.files.indices.map(text).joined()
      + audit.unread.map {
        "\(PlainText.escaped($0.path))\n  not read: \($0.reason)\n"
      }.joined() + summary + "\n"
  }

  private func text(_ index: Int) -> String {
    let file = audit.files[index]
    var lines = ["\(PlainText.escaped(file.target.path))  (\(file.content.format.tool))"]
    for number in file.content.secrets.indices {
      lines.append("  " + text(Audit.Finding(file: index, secret: number)))
    }
    lines.append("  \(circumstances(file))")
    return lines.map { $0 + "\n" }.joined()
  }

  /// One line for a finding.
  func text(_ finding: Audit.Finding) -> String {
    let secret = audit.secret(finding)
    var parts = [secret.kind.rawValue, PlainText.escaped(secret.place)]
    let owner = [secret.username, secret.service.map { "at \($0)" }].compactMap { $0 }
    if !owner.isEmpty { parts.append(PlainText.escaped(owner.joined(separator: " "))) }
    if let end = secret.expiresOn {
      parts.append((end > now ? "expires " : "expired ") + end.relative(to: now))
    }
    if let outcome = imported?[finding] { parts.append(outcome.text) }
    if let removal {
      parts.append(
        removal.chosen.contains(finding)
          ? "removed" : "not removed: \(removal.reasons[finding] ?? "")")
    }
    return parts.joined(separator: "  ")
  }

  private func circumstances(_ file: AuditedFile) -> String {
    let readers =
      switch file.readers {
      case .everyone: "every user can read it"
      case .group: "the group \(PlainText.escaped(file.group)) can read it"
      case .owner: "only its owner can read it"
      }
    let changed = Timestamp(epochSeconds: file.state.changedOn).relative(to: now)
    var parts = ["changed \(changed)", "\(file.mode) \(PlainText.escaped(file.owner)), \(readers)"]
    if file.place != file.target.path { parts.append("is \(PlainText.escaped(file.place))") }
    if let original = file.target.original {
      parts.append("a copy of \(PlainText.escaped(original))")
    }
    if let git = file.git { parts.append(git.text) }
    if !file.backups.isEmpty {
      parts.append("perhaps in backups of \(file.backups.joined(separator: ", "))")
    }
    return parts.joined(separator: "; ")
  }

  private var summary: String {
    let count = remaining.count
    guard count > 0 else {
      return "No secret is in plaintext in the \(audit.readCount.counted("file")) that "
        + "\(audit.readCount == 1 ? "was" : "were") read."
    }
    let files = Set(remaining.map(\.file)).count
    return "\(count.counted("secret")) in plaintext in \(files.counted("file"))."
  }

  // MARK: JSON

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("findings")
      writer.array(audit.findings) { write($1, to: &$0) }
      writer.key("unread")
      writer.array(audit.unread) { writer, unread in
        writer.object {
          $0.field("file", unread.path)
          $0.field("reason", unread.reason)
        }
      }
      writer.field("filesRead", audit.readCount)
      writer.field("inPlaintext", remaining.count)
    }
  }

  private func write(_ finding: Audit.Finding, to writer: inout JSONWriter) {
    let file = audit.files[finding.file]
    let secret = audit.secret(finding)
    writer.object { writer in
      writer.field("tool", file.content.format.tool)
      writer.field("kind", secret.kind.rawValue)
      writer.field("file", file.target.path)
      writer.field("realPath", file.place)
      writer.field("place", secret.place)
      Self.write("username", secret.username, to: &writer)
      Self.write("service", secret.service, to: &writer)
      writer.field("modifiedOn", Timestamp(epochSeconds: file.state.changedOn).iso8601)
      Self.write("expiresOn", secret.expiresOn?.iso8601, to: &writer)
      writer.field("mode", file.mode)
      writer.field("owner", file.owner)
      writer.field("readers", file.readers.rawValue)
      Self.write("git", file.git?.rawValue, to: &writer)
      writer.field("backups", file.backups)
      Self.write("copyOf", file.target.original, to: &writer)
      writer.field("removable", secret.obstacle == nil)
      writer.field("revoke", file.content.format.revocation)
      if let outcome = imported?[finding] { outcome.write(to: &writer) }
      if let removal {
        let isRemoved = removal.chosen.contains(finding)
        writer.field("removed", isRemoved)
        Self.write("reason", isRemoved ? nil : removal.reasons[finding], to: &writer)
      }
    }
  }

  private static func write(_ name: StaticString, _ text: String?, to writer: inout JSONWriter) {
    writer.key(name)
    if let text { writer.string(text) } else { writer.null() }
  }
}

extension AuditVault.Outcome {
  var text: String {
    switch self {
    case .stored(let group): "stored in \(group)"
    case .unchanged(let group): "is in \(group)"
    case .newer(let group): "not stored: \(group) has a newer one"
    case .conflict(let group): "not stored: \(group) has another secret for it"
    case .notStorable(let reason): "not stored: \(reason)"
    }
  }

  fileprivate func write(to writer: inout JSONWriter) {
    let (name, group): (String, GroupName?) =
      switch self {
      case .stored(let group): ("stored", group)
      case .unchanged(let group): ("unchanged", group)
      case .newer(let group): ("newer", group)
      case .conflict(let group): ("conflict", group)
      case .notStorable: ("notStorable", nil)
      }
    writer.field("import", name)
    if let group { writer.field("group", group.description) }
  }
}
