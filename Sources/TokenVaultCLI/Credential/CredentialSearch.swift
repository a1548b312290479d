import TokenVault
import TokenVaultCredentialHelpers
import TokenVaultModel
import TokenVaultSignIn

/// Finds the credential for an address among the groups of an invocation.
///
/// The groups are those in which `--service` looks: the one in force and the one for secrets. The
/// first group that has a credential for the address decides.
struct CredentialSearch {
  let invocation: Invocation

  /// A credential that may be sent to an address.
  enum Candidate {
    case secret(ServiceSecrets.Found)
    case token(TokenCredentialAccount)

    var account: Account {
      switch self {
      case .secret(let found): found.account
      case .token(let found): found.account
      }
    }
  }

  /// The candidate that was chosen, and why.
  struct Match {
    let candidate: Candidate
    let vault: GroupSession
    let reason: Reason
  }

  /// Why a candidate was chosen from several.
  enum Reason: Hashable {
    case selected(Selection.Rule)
    case username
    case only
    case current
  }

  /// The credential for an address; nil if no group has one.
  /// - Throws: ``Failure`` with `ambiguousAccount` if several fit and nothing chooses one of them.
  func match(_ query: CredentialQuery) throws -> Match? {
    let selection = try invocation.select()
    for (group, _) in try invocation.groupsOfSecrets() {
      guard let vault = try vault(of: group) else { continue }
      if selection.accountRule != .standard, selection.group == group,
        let candidate = try selected(selection, query, in: vault)
      {
        return Match(candidate: candidate, vault: vault, reason: .selected(selection.accountRule))
      }
      if selection.accountRule == .option { continue }
      if let match = try unselected(query, in: vault) { return match }
    }
    guard selection.accountRule == .option, let name = invocation.options.account else {
      return nil
    }
    throw Failure.noCredential(of: name, at: query.address, selection.group)
  }

  /// The groups in which credentials are looked for, with those that have no file left out.
  func vaults() throws -> [GroupSession] {
    try invocation.groupsOfSecrets().compactMap { try vault(of: $0.0) }
  }

  private func vault(of group: GroupName) throws -> GroupSession? {
    let vault = GroupSession(try invocation.configuration(group))
    return InputFile.exists(vault.configuration.groupPath) ? vault : nil
  }

  /// The credential of the account that an option, a variable or a rule selects; nil if that account
  /// has none for the address.
  private func selected(
    _ selection: Selection, _ query: CredentialQuery, in vault: GroupSession
  ) throws -> Candidate? {
    guard let account = try account(selection.account, in: vault) else { return nil }
    let secrets = try ServiceSecrets(vault).covering(query.address, username: query.username)
    if let found = secrets.first(where: { $0.account.isSame(as: account) }) {
      return .secret(found)
    }
    return try vault.accounts(withTokensFor: query.address)
      .first { $0.account.isSame(as: account) && $0.answers(to: query.username) }
      .map { .token($0) }
  }

  private func account(
    _ reference: AccountReference, in vault: GroupSession
  ) throws -> Account? {
    do { return try vault.account(reference) } catch {
      guard case .noAccount = error else { throw error }
      return nil
    }
  }

  /// A stored secret was meant for this very place, and comes before tokens.
  private func unselected(_ query: CredentialQuery, in vault: GroupSession) throws -> Match? {
    let secrets = try ServiceSecrets(vault).covering(query.address, username: query.username)
    var candidates = secrets.map { Candidate.secret($0) }
    if candidates.isEmpty {
      candidates = try vault.accounts(withTokensFor: query.address)
        .filter { $0.answers(to: query.username) }.map { .token($0) }
    }
    guard let first = candidates.first else { return nil }
    if candidates.count == 1 {
      return Match(
        candidate: first, vault: vault, reason: query.username == nil ? .only : .username)
    }
    guard let current = candidates.first(where: { $0.account.isCurrent }) else {
      throw Failure.severalCredentials(candidates.map(\.account), at: query.address)
    }
    return Match(candidate: current, vault: vault, reason: .current)
  }
}

extension TokenCredentialAccount {
  /// Whether a user name that a tool demands is one of this account. A tool that was once given the
  /// fixed user name of the provider demands it again.
  fileprivate func answers(to username: String?) -> Bool {
    guard let username else { return true }
    return username == self.username || CaseFolding.equal(username, account.username)
      || account.alias.map { CaseFolding.equal(username, $0) } == true
  }
}

extension Account {
  fileprivate func isSame(as other: Account) -> Bool { identity == other.identity }
}
