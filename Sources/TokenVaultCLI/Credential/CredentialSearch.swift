import TokenVault
import TokenVaultCredentialHelpers
import TokenVaultModel
import TokenVaultSignIn

/// Finds the credential for an address among the groups of an invocation.
///
/// The groups are those in which `--service` looks: the one in force and the one for secrets. The
/// first group that has a credential for the address decides.
struct CredentialSearch {
  private let invocation: Invocation
  private let note: (_ step: String, _ finding: String) -> Void

  /// - Parameters:
  ///   - address: The address that rules are compared with; nil for none.
  ///   - note: Called with each step of the search and what it found.
  init(
    _ invocation: Invocation, at address: HTTPURL? = nil,
    note: @escaping (_ step: String, _ finding: String) -> Void = { _, _ in }
  ) {
    var invocation = invocation
    invocation.options.address = address
    self.invocation = invocation
    self.note = note
  }

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
    noteSelection(selection)
    for vault in try vaults() {
      // A name that was given to the helper may be that of a secret in another group.
      let isMeant = selection.group == vault.group || selection.accountRule == .option
      if selection.accountRule != .standard, isMeant,
        let candidate = try selected(selection, query, in: vault)
      {
        return Match(candidate: candidate, vault: vault, reason: .selected(selection.accountRule))
      }
      if selection.accountRule == .option { continue }
      if let match = try unselected(query, selection, in: vault) { return match }
    }
    guard selection.accountRule == .option, let name = invocation.options.account else {
      return nil
    }
    throw Failure.noCredential(of: name, at: query.address, selection.group)
  }

  private func noteSelection(_ selection: Selection) {
    let variable = invocation.environment["TOKENVAULT_ACCOUNT"].map(PlainText.escaped)
    note("--account", invocation.options.account.map(PlainText.escaped) ?? "not given")
    note("TOKENVAULT_ACCOUNT", variable ?? "not set")
    if case .rule(let conditions) = selection.accountRule {
      note("rules", "the rule for \(conditions.words) counts")
    } else {
      note("rules", "none counts")
    }
    for denial in selection.denials {
      note("rules", "the rule for \(denial.conditions.words) forbids an account")
    }
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
    guard let account = try account(selection.account, in: vault),
      try isPermitted(account, selection, in: vault)
    else { return nil }
    let secrets = try secrets(query, in: vault)
    if let found = secrets.first(where: { $0.account.isSame(as: account) }) {
      return .secret(found)
    }
    let token = try vault.accounts(withTokensFor: query.address)
      .first { $0.account.isSame(as: account) && $0.answers(to: query.username) }
    if token == nil {
      note("\(vault.group)", "\(PlainText.escaped(account.shownName)) has no credential for it")
    }
    return token.map { .token($0) }
  }

  private func secrets(
    _ query: CredentialQuery, in vault: GroupSession
  ) throws -> [ServiceSecrets.Found] {
    try ServiceSecrets(vault).covering(query.address, username: query.username)
      .filter { !query.isExact || $0.service == ServiceURL(query.address) }
  }

  private func account(
    _ reference: AccountReference, in vault: GroupSession
  ) throws -> Account? {
    do { return try vault.account(reference) } catch {
      guard case .noAccount = error else { throw error }
      return nil
    }
  }

  private func isPermitted(
    _ account: Account, _ selection: Selection, in vault: GroupSession
  ) throws -> Bool {
    try selection.denials.isEmpty || invocation.denial(of: account, in: vault) == nil
  }

  /// A stored secret was meant for this very place, and comes before tokens.
  private func unselected(
    _ query: CredentialQuery, _ selection: Selection, in vault: GroupSession
  ) throws -> Match? {
    let secrets = try secrets(query, in: vault)
    var candidates = try secrets.map { Candidate.secret($0) }
      .filter { try isPermitted($0.account, selection, in: vault) }
    let isExpired = secrets.allSatisfy { secret in
      secret.origin.refreshToken == nil && secret.expiresOn.map { $0 <= invocation.now } ?? false
    }
    if candidates.isEmpty || isExpired {
      let tokens: [Candidate] = try vault.accounts(withTokensFor: query.address)
        .filter { $0.answers(to: query.username) }.map { .token($0) }
        .filter { try isPermitted($0.account, selection, in: vault) }
      if !tokens.isEmpty { candidates = tokens }
    }
    note("\(vault.group)", Self.text(candidates))
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

extension CredentialSearch {
  private static func text(_ candidates: [Candidate]) -> String {
    guard !candidates.isEmpty else { return "no credential" }
    return candidates.map { candidate in
      let name = PlainText.escaped(candidate.account.shownName)
      return switch candidate {
      case .secret(let found): "\(name) at \(PlainText.escaped(found.service.description))"
      case .token: "the token of \(name)"
      }
    }.joined(separator: ", ")
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
