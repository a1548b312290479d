import ArgumentParser
import TokenVault

/// `import --from`: the stores of other programs.
extension ImportCommand {
  func validateStore(_ from: StoreName) throws {
    if account != nil || clientId != nil {
      throw ValidationError("--from takes no account and no --client-id.")
    }
    if !attribute.isEmpty, from != .msal { throw ValidationError("--attribute needs --from msal.") }
    switch from {
    case .git, .gcm, .gh, .msal:
      if file != nil { throw ValidationError("--from \(from.rawValue) takes no argument.") }
    case .keepassxc:
      if file == nil { throw ValidationError("--from keepassxc needs the exported FILE, or -.") }
    case .oidcAgent:
      if file == nil {
        throw ValidationError("--from oidc-agent needs the NAME of an account, or -.")
      }
    case .pass: break
    }
    _ = try StoreAttributes(attribute)
  }

  func run(from name: StoreName, in invocation: Invocation) throws {
    let selection =
      name == .msal
      ? try invocation.select(needsAccount: false) : try invocation.selectGroupOfSecrets()
    invocation.explain(selection)
    let store = try invocation.store(
      name, at: file, attributes: StoreAttributes(attribute).pairs)
    let items = try store.items()
    var work = StoreImport(
      store: store, name: name, invocation: invocation,
      vault: try invocation.vault(of: selection), isRehearsal: dryRun, replaces: force)
    var imported = try work.take(items)
    try store.notes().forEach { invocation.tell($0) }
    if remove {
      // The import has happened: it is reported even if the user declines the removal.
      do { try work.remove(&imported, confirmation) } catch {
        try tell(imported, name, selection, invocation)
        throw error
      }
    }
    try tell(imported, name, selection, invocation)
    if dryRun { invocation.tell("Nothing was changed.") }
    let isComplete = imported.allSatisfy { $0.fault == nil && $0.stays == nil }
    if !isComplete { throw Failure.itemsLeft }
  }

  private func tell(
    _ items: [ImportedItem], _ name: StoreName, _ selection: Selection, _ invocation: Invocation
  ) throws {
    if global.json {
      return try invocation.answerJSON { writer in
        writer.object { writer in
          writer.field("from", name.rawValue)
          writer.field("group", selection.group.description)
          if dryRun { writer.field("dryRun", true) }
          writer.key("items")
          writer.array(items) { $1.write(to: &$0) }
        }
      }
    }
    let stored = items.map(\.stored).reduce(0, +)
    let noun = name == .msal ? "credential" : "secret"
    var lines = items.flatMap(\.text)
    if items.isEmpty {
      lines.append("\(name.title) has no item that could come in.")
    } else {
      lines.append(
        "\(stored.counted(noun)) \(dryRun ? "would be stored" : "stored") in \(selection.group).")
    }
    try invocation.answer(Array(lines.map { $0 + "\n" }.joined().utf8))
    items.compactMap(\.note).forEach(invocation.tell)
    if !dryRun, !remove, items.contains(where: { $0.fault == nil }) {
      tellWhatStays(name, invocation)
    }
  }

  private func tellWhatStays(_ name: StoreName, _ invocation: Invocation) {
    switch name {
    case .git, .gcm, .gh, .msal, .pass:
      invocation.tell("\(name.title) still has them; --remove takes them out.")
    case .keepassxc where file != "-":
      invocation.tell(
        "\(PlainText.escaped(file ?? "")) still has its passwords in plaintext; delete it.")
    case .keepassxc, .oidcAgent: break
    }
  }
}
