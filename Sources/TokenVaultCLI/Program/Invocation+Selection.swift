import TokenVaultSystem
package import TokenVault
import TokenVaultModel
import TokenVaultSignIn

extension Invocation {
  /// Selects the group and, if `needsAccount`, the account.
  package func select(needsAccount: Bool = true) throws(CommandError) -> Selection {
    do {
      return try request.select(in: surroundings, situation, needsAccount: needsAccount)
    } catch { throw CommandError(error) }
  }

  private var request: SelectionRequest {
    var request = SelectionRequest()
    request.group = options.group
    request.account = options.account.map { AccountReference(parsing: $0) }
    request.accountOfVariable = environment["TOKENVAULT_ACCOUNT"].map {
      AccountReference(parsing: $0)
    }
    request.overrulesDenials = options.overrulesDenials
    request.vaultDirectory = options.vaultDirectory
    return request
  }

  /// The selected account, unless a rule denies it here.
  func account(of selection: Selection, in vault: GroupSession) throws -> Account {
    let account = try vault.account(selection.account)
    if !selection.denials.isEmpty { try requirePermitted(account, in: vault) }
    return account
  }

  /// Throws if a rule denies the account here.
  func requirePermitted(_ account: Account, in vault: GroupSession) throws {
    if let denial = try denial(of: account, in: vault) { throw Failure.denied(account, denial) }
  }

  /// The rule that denies an account here. The rules are read again, because a renewal of the group
  /// may have changed the tags in them.
  func denial(of account: Account, in vault: GroupSession) throws -> AccountRule? {
    try matchingRules().1.first { try vault.names($0, account) }
  }

  /// The vault of the selected group.
  package func vault(of selection: Selection) throws(CommandError) -> GroupSession {
    GroupSession(try configuration(selection.group))
  }

  /// The vault of the selected group, for commands that need no account.
  func selectedVault() throws -> GroupSession {
    let selection = try select(needsAccount: false)
    explain(selection)
    return try vault(of: selection)
  }

  /// The vault of the selected group, for commands that need a token of one of its accounts.
  func vaultWithAccounts(of selection: Selection) throws -> GroupSession {
    let vault = try vault(of: selection)
    guard InputFile.exists(vault.configuration.groupPath) else {
      throw knows(selection.group)
        ? CommandError.nothingSignedIn(selection.group) : .unknownGroup(selection.group)
    }
    return vault
  }

  /// Whether the group has a file or a manifest. A manifest that cannot be used is one.
  func knows(_ group: GroupName) -> Bool {
    do {
      let configuration = try configuration(group)
      if InputFile.exists(configuration.groupPath) { return true }
      _ = try configuration.manifests.find(group)
      return true
    } catch VaultError.noManifest { return false } catch { return true }
  }

  /// The error with more about this machine: a missing group is one without accounts if it has a
  /// manifest, otherwise an unknown one; a damaged file has a path; a misspelt account resembles
  /// another one.
  func refined(_ error: any Error) -> any Error {
    switch error {
    case CommandError.unknownGroup(let group, nil):
      CommandError.unknownGroup(group, resembling: resembling(group))
    case VaultError.noManifest(let group) where !knows(group):
      options.command.hasPrefix("group ")
        ? CommandError.unknownGroup(group, resembling: resembling(group))
        : CommandError.groupNotCreated(group, resembling: resembling(group))
    case VaultError.noGroup(let group):
      if !knows(group) {
        CommandError.unknownGroup(group, resembling: resembling(group))
      } else if let action = Self.actions[options.command] {
        CommandError.nothingTo(action, group: group)
      } else {
        error
      }
    case VaultError.store(.damaged(nil), let group), VaultError.store(.notAGroupFile, let group):
      damaged(group) ?? error
    case VaultError.custody(let fault, let group): keyringFailure(fault, group) ?? error
    case VaultError.noAccount(let text, let group):
      prefixNotTaken(text, group) ?? resembling(text, in: group).map {
        CommandError.noAccount(text, group: group, resembling: $0)
      } ?? error
    case VaultError.noCurrentAccount(.allSignedOut, let group):
      onlyAccount(of: group).map(signedOut) ?? error
    default: error
    }
  }

  /// What the commands do with a group's file that a sign-in would not help.
  private static let actions = [
    "group backup": "back up", "group delete": "delete", "group rekey": "rekey",
    "group recovery-code": "recover", "group verify": "verify", "group unlock": "unlock",
    "sign-out": "sign out", "export": "export",
  ]

  /// The error about a prefix that names one account, of a command that takes none; nil for any other.
  private func prefixNotTaken(_ text: String, _ group: GroupName) -> CommandError? {
    guard options.command == "sign-out" else { return nil }
    var quiet = self
    quiet.options.mayAsk = false
    // absent is an answer: the name is then reported as one that no account has.
    do {
      var configuration = try quiet.configuration(group)
      configuration.passphrase = nil
      let account = try GroupSession(configuration).account(AccountReference(parsing: text))
      return .prefixNotTaken(text, command: options.command, account)
    } catch { return nil }
  }

  private func signedOut(_ account: Account) -> Failure {
    Failure(
      .signInNeeded, "\(Failure.name(account)) is signed out.", next: signIn(account),
      code: "signedOut")
  }

  /// The command that signs an account in again.
  func signIn(_ account: Account) -> String {
    var words = "sign-in " + PlainText.shellWord([account].shortestForms[0])
    if account.clientIDs.isEmpty, !hasDefaultClient { words += " --client-id ID" }
    return Failure.command(words, account.group)
  }

  private func onlyAccount(of group: GroupName) -> Account? {
    // absent is an answer: the message then names no account.
    do {
      let all = try accountsWithoutPrompt(of: group)
      return all.count == 1 ? all[0] : nil
    } catch { return nil }
  }

  func accountsWithoutPrompt(of group: GroupName) throws -> [Account] {
    var quiet = self
    quiet.options.mayAsk = false
    var configuration = try quiet.configuration(group)
    configuration.passphrase = nil
    return try AccountEnumeration(GroupSession(configuration)).accounts(.all).accounts
  }

  private func damaged(_ group: GroupName) -> CommandError? {
    // absent is an answer: without the path, the message names the group only.
    do { return .groupDamaged(group, path: try configuration(group).groupPath) } catch {
      return nil
    }
  }

  /// The name of an account that a misspelt one may stand for, without a prompt.
  private func resembling(_ text: String, in group: GroupName) -> String? {
    // absent is an answer: an error about a name is reported without a suggestion.
    do {
      let accounts = try accountsWithoutPrompt(of: group)
      let names = accounts.flatMap { [$0.username, $0.alias ?? ""] }.filter { !$0.isEmpty }
      if let name = Spelling.nearest(to: text, in: names) { return name }
      let parts = accounts.compactMap { account in
        account.username.firstIndex(of: "@").map { String(account.username[..<$0]) }
      }
      return Spelling.nearest(to: text, in: parts).flatMap { part in
        names.first { $0.hasPrefix(part + "@") }
      }
    } catch { return nil }
  }

  /// The known group that a misspelt name may stand for.
  private func resembling(_ group: GroupName) -> GroupName? {
    // absent is an answer: an error about a name is reported without a suggestion.
    do {
      let known =
        try groupsOnDisk() + configuration(.universalStorage).manifests.names()
      return Spelling.nearest(to: group.description, in: known.map(\.description))
        .flatMap(GroupName.init)
    } catch { return nil }
  }

  /// With `-v`, prints which group was selected, and why.
  func explain(_ selection: Selection) {
    guard options.isVerbose else { return }
    tell("group \(selection.group), \(selection.groupRule.reason(isAccount: false))")
  }

  /// Prints why the account is in force unless it is the group's current one, and whether a rule
  /// may have lost its directory.
  func tellWhy(_ selection: Selection) {
    if selection.accountRule != .standard {
      tell("This account is \(selection.accountRule.reason(isAccount: true)).")
    } else {
      tellOfMovedDirectory()
    }
  }

  /// Names the rule that was probably made before the working directory, or one above it, was moved.
  func tellOfMovedDirectory() {
    bestEffort("the account in force is known without this note") {
      guard let workingDirectory,
        let moved = try accountRules().formerRule(of: workingDirectory)?.conditions.directory
      else { return }
      let path = PlainText.shellWord(moved)
      tell(
        "Note: there is a rule for \(PlainText.escaped(moved)), which no longer exists. If it "
          + "was moved here: tokenvault switch --here ACCOUNT; then: tokenvault rule remove \(path)"
      )
    }
  }

  /// The account that commands use here, if a variable or a rule chooses it from this group; nil if
  /// the group's current account is used.
  func chosenAccount(_ selection: Selection, in vault: GroupSession) -> Account? {
    guard selection.accountRule != .standard else { return nil }
    // absent is an answer: a choice that names no account of the group marks none.
    do { return try account(of: selection, in: vault) } catch { return nil }
  }

  /// The groups that have a file, in order.
  func groupsOnDisk() throws -> [GroupName] {
    let directory = try configuration(.universalStorage).groupsDirectory
    return try GroupFiles.names(in: directory, suffix: ".vault")
  }

  private func matchingRules() throws(CommandError) -> (AccountRule?, [AccountRule]) {
    let rules = try accountRules()
    do { return try rules.matching(situation) } catch { throw .vault(error) }
  }

  /// The circumstances that rules are compared with.
  var situation: Situation {
    var situation = Situation(remotes: Self.remotes)
    situation.directory = workingDirectory
    situation.address = options.address
    situation.audiences = options.audiences
    situation.hasBareScopes = options.hasBareScopes
    situation.tenant = options.tenant
    return situation
  }

  /// The remotes of the repository of the working directory, as git resolves them; nil if git fails.
  private static func remotes() -> [Situation.Remote]? {
    // absent is an answer: a rule that denies an account then holds.
    do {
      let words = ["git", "remote", "--verbose"]
      guard let result = try ChildProgram.run(words, environment: wholeEnvironment()) else {
        return []
      }
      // Without a repository, git exits with 128.
      guard result.status == 0 else { return result.status == 128 ? [] : nil }
      return String(decoding: result.output, as: UTF8.self).split(separator: "\n")
        .compactMap { line in
          let parts = line.split(separator: "\t", maxSplits: 1)
          guard parts.count == 2,
            let end = [" (fetch)", " (push)"].compactMap({ parts[1].ranges(of: $0).last }).first
          else { return nil }
          return Situation.Remote(
            name: String(parts[0]), url: String(parts[1][..<end.lowerBound]))
        }
    } catch { return nil }
  }

  func accountRules() throws(CommandError) -> AccountRules {
    do { return try request.rules(surroundings) } catch { throw CommandError(error) }
  }

  /// Whether the configuration file has a client for sign-ins.
  var hasDefaultClient: Bool {
    guard let path = configurationFile else { return false }
    // absent is an answer: a file that cannot be used provides no client.
    do { return try UserConfiguration.read(path)?.signIn.clientID != nil } catch { return false }
  }
}
