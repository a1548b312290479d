import TokenVault
import TokenVaultModel
import TokenVaultSignIn

extension GroupName {
  /// The group for secrets of services.
  static let secrets: GroupName = "dev.tokenvault.shared"
}

extension Invocation {
  /// A group and an account of it, with the session that found it: a passphrase is typed once.
  typealias Located = (selection: Selection, vault: GroupSession)

  /// The account of a command that needs a token or a secret: the secret of `--service`, otherwise as
  /// ``select(needsAccount:)``.
  func selectedAccount() throws -> Located {
    if let service = options.service {
      let found = try secret(of: service, named: options.account)
      if options.account == nil, case .known(let account) = found.selection.account {
        var here = self
        here.options.address = account.service.flatMap { HTTPURL($0) }
        try here.requirePermitted(account, in: found.vault)
      }
      return found
    }
    let selection = try select()
    explain(selection)
    let vault = try vaultWithAccounts(of: selection)
    if !selection.denials.isEmpty { _ = try account(of: selection, in: vault) }
    return (selection, vault)
  }

  /// The group that `add` stores into: unless one is named, the group for secrets of services.
  func selectGroupOfSecrets() throws -> Selection {
    let selection = try select(needsAccount: false)
    guard selection.groupRule == .standard else { return selection }
    return Selection(
      group: .secrets, groupRule: .service, account: .current, accountRule: .standard)
  }

  /// The secret of a service.
  /// - Parameters:
  ///   - service: Its URL or host.
  ///   - name: The user name at the service, or another name of the account; nil for the only one.
  func secret(of service: String, named name: String?) throws -> Located {
    guard let reference = ServiceReference(service, name: name) else {
      throw CommandError.badServiceURL(service)
    }
    let groups = try groupsOfSecrets()
    if groups.count == 1, !knows(groups[0].0) { throw CommandError.unknownGroup(groups[0].0) }
    for (group, rule) in groups {
      let vault = GroupSession(try configuration(group))
      guard let account = try account(.secret(reference), in: vault) else { continue }
      let selection = Selection(
        group: group, groupRule: rule, account: .known(account), accountRule: .service)
      explain(selection)
      return (selection, vault)
    }
    throw CommandError.noSecret(of: service, named: name, groups: groups.map(\.0))
  }

  /// Nil if the group has no such account, or no file.
  private func account(
    _ reference: AccountReference, in vault: GroupSession
  ) throws -> Account? {
    do { return try vault.account(reference) } catch {
      switch error {
      case .noGroup, .noAccount: return nil
      case .ambiguousAccount(let place, let candidates):
        throw Failure.severalSecrets(
          place, candidates, command: options.command, group: options.group)
      default: throw error
      }
    }
  }

  /// The groups in which the secret of a service is looked for, in order. The first one is the group
  /// that `add` would store into.
  func groupsOfSecrets() throws -> [(GroupName, Selection.Rule)] {
    let inForce = try select(needsAccount: false)
    switch inForce.groupRule {
    case .option, .variable: return [(inForce.group, inForce.groupRule)]
    case .standard: return [(.secrets, .service), (inForce.group, .standard)]
    case .rule, .configuration, .service:
      let first = (inForce.group, inForce.groupRule)
      return inForce.group == .secrets ? [first] : [first, (.secrets, .service)]
    }
  }

  /// The group for secrets if accounts are sought there, too.
  func secondGroup(after first: GroupName) throws -> GroupName? {
    try groupsOfSecrets().map(\.0).first { $0 == .secrets && $0 != first }
  }

  /// The services with a secret for an address in the groups where one is looked for, without a prompt.
  func services(for address: HTTPURL) throws -> [String] {
    try groupsOfSecrets().flatMap { group, _ in
      try accountsWithoutPrompt(of: group).compactMap(\.service).filter {
        ServiceURL($0)?.covers(address) ?? false
      }
    }
  }
}
