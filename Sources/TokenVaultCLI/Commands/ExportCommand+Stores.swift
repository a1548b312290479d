import ArgumentParser
import TokenVault
import TokenVaultModel

/// `export --to`: the stores of other programs.
extension ExportCommand {
  func validateStore(_ to: StoreName) throws {
    if output != nil { throw ValidationError("--to and --output cannot be combined.") }
    if (to == .msal) == attribute.isEmpty {
      throw ValidationError("--to msal needs --attribute, and no other store takes it.")
    }
    if to == .msal, service != nil { throw ValidationError("--to msal takes no --service.") }
    let others = [
      filters.identifier, filters.tenantProfile, filters.environment, filters.policy,
      filters.clientId,
    ]
    if to != .msal, filters.signedOut || others.contains(where: { $0 != nil }) {
      throw ValidationError("Secrets are chosen by --service and --username.")
    }
    _ = try StoreAttributes(attribute)
  }

  func run(to name: StoreName, in invocation: Invocation) throws {
    switch name {
    case .keepassxc:
      throw Failure.storeRefuses(
        "A secret gets into a database of KeePassXC only with the password of the database, which "
          + "belongs to nobody but KeePassXC.",
        next: "keepassxc-cli add --password-prompt --username NAME --url URL FILE.kdbx TITLE")
    case .oidcAgent:
      throw Failure.storeRefuses(
        "An account of oidc-agent is made by oidc-gen only.", next: "oidc-gen NAME")
    case .msal, .git, .gcm, .gh, .pass: break
    }
    let work = StoreExport(
      name: name, invocation: invocation, isRehearsal: dryRun, replaces: force)
    let lines = try name == .msal ? cache(work, invocation) : secrets(work, invocation)
    try tell(lines, name, invocation)
    if let failure = lines.first?.failure, lines.allSatisfy({ $0.failure != nil }) { throw failure }
    if lines.contains(where: { $0.reason != nil }) { throw Failure.itemsLeft }
  }

  private func cache(_ work: StoreExport, _ invocation: Invocation) throws -> [StoreExport.Line] {
    let selection = try invocation.select(needsAccount: false)
    invocation.explain(selection)
    let cache = try CacheExport(invocation.vault(of: selection)).run(AccountQuery(filters))
    guard !cache.tokens.isEmpty else { return [] }
    return [try work.write(cache, attributes: StoreAttributes(attribute).pairs)]
  }

  private func secrets(_ work: StoreExport, _ invocation: Invocation) throws -> [StoreExport.Line] {
    let service = try service.map { text throws(CommandError) in
      guard let url = ServiceURL(text) else { throw .badServiceURL(text) }
      return url
    }
    let selection = try invocation.selectGroupOfSecrets()
    invocation.explain(selection)
    let found = try ServiceSecrets(invocation.vault(of: selection)).all().filter { found in
      !found.isRefreshToken && (service == nil || found.service == service)
        && (filters.username == nil || found.account.username == filters.username)
    }
    return work.write(found, to: try invocation.store(work.name))
  }

  private func tell(
    _ lines: [StoreExport.Line], _ name: StoreName, _ invocation: Invocation
  ) throws {
    let written = lines.count(where: \.isCopied)
    if global.json {
      try invocation.answerJSON { writer in
        writer.object { writer in
          writer.field("to", name.rawValue)
          if dryRun { writer.field("dryRun", true) }
          writer.key("items")
          writer.array(lines) { $1.write(to: &$0) }
        }
      }
    } else {
      let end = lines.isEmpty ? ["Nothing is there to export."] : []
      try invocation.answer(
        Array((lines.map(\.text) + end).map { $0 + "\n" }.joined().utf8))
    }
    lines.compactMap(\.note).forEach(invocation.tell)
    if dryRun { return invocation.tell("Nothing was changed.") }
    guard written > 0 else { return }
    let place = name == .pass ? "the password store" : "the Secret Service"
    invocation.tell(
      "\(place.capitalizedFirst) now has \(written.counted("copy")) outside the vault, which a "
        + "sign-out does not erase.")
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
