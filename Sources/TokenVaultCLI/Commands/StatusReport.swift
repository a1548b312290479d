import TokenVault
import TokenVaultModel

/// The facts that `status` prints.
struct StatusReport {
  /// Something that the user should know or do.
  struct Concern {
    /// Stable, for JSON.
    let code: String
    let message: String
    let next: String?
    var note: String?
  }

  let selection: Selection
  let group: GroupDescription
  let condition: GroupCondition
  let account: Account?
  /// The exit status of a command that would use the account now, or that of damage in the group.
  let status: ExitStatus
  let concerns: [Concern]
  let now: Timestamp

  init(_ invocation: Invocation) throws {
    selection = try invocation.select()
    guard invocation.knows(selection.group) else {
      throw CommandError.unknownGroup(selection.group)
    }
    let now = invocation.now
    self.now = now
    let vault = try invocation.vaultWithoutPrompt(of: selection.group)
    group = try GroupInspection(vault).describe()
    condition = GroupCondition(vault)
    var accounts: [Account] = []
    var found: Account?
    var (failure, damage): (Failure?, [Failure]) = (nil, [])
    do {
      if let error = condition.failure { throw error }
      guard group.file != nil else { throw CommandError.nothingSignedIn(selection.group) }
      let listing = try AccountEnumeration(vault).accounts(.all)
      accounts = listing.accounts
      if listing.damagedRows > 0 {
        let error: any Error = CommandError.rowsDamaged(
          listing.damagedRows, group: selection.group)
        damage = [Failure(error)]
      }
      if condition.content?.isHistoryDamaged == true {
        let error: any Error = CommandError.historyDamaged(group: selection.group)
        damage.append(Failure(error))
      }
      let account = try invocation.account(of: selection, in: vault)
      found = account
      if account.needsSignIn(now) { failure = Failure.needed(by: account, now) }
    } catch VaultError.custody(.passphraseRequired, let group) {
      failure = Failure.locked(group)
    } catch { failure = Failure(invocation.refined(error)) }
    account = found
    // An account that is missing may be one that cannot be read.
    let failures = damage + (failure.map { [$0] } ?? [])
    status = failures.first?.status ?? .done
    concerns =
      failures.map { Concern($0) }
      + Self.concerns(
        accounts.filter { account in
          account.endsWithToken(now)
            || account.identity != found?.identity && account.needsSignIn(now)
        }, now)
      + Self.concerns(group, condition)
  }

  private static let most = 5

  private static func concerns(_ accounts: [Account], _ now: Timestamp) -> [Concern] {
    guard accounts.count > most else {
      return accounts.map { Concern(Failure.needed(by: $0, now)) }
    }
    let need = accounts.contains { $0.authorityType == .secret } ? " or another secret" : ""
    return [
      Concern(
        code: "signInNeeded", message: "\(accounts.count) accounts need a sign-in\(need).",
        next: Failure.command("list", accounts[0].group))
    ]
  }

  private static func concerns(
    _ group: GroupDescription, _ condition: GroupCondition
  ) -> [Concern] {
    var all: [Concern] = []
    if let part = group.devicePart, !part.exists, condition.failure == nil {
      all.append(
        Concern(
          code: "devicePartMissing",
          message: "This device's part of the key is missing (\(Failure.quoted(part.path))). The "
            + "group opens only while it is unlocked.", next: "tokenvault group rekey \(group.name)"
        ))
    }
    if condition.hasRecoveryCode == false, condition.content?.accounts != 0 {
      all.append(
        Concern(
          code: "noRecoveryCode",
          message: "The group has no recovery code: if its key is lost, so are its accounts.",
          next: "tokenvault group recovery-code \(group.name)"))
    }
    if let backup = condition.content?.history.backup, let file = group.file,
      backup.generation < file.generation
    {
      all.append(
        Concern(
          code: "backupOutdated",
          message: "The last backup was made with a former key of the group\(opening(backup)).",
          next: "tokenvault group backup \(group.name) FILE"))
    }
    return all
      + (condition.content?.importedFiles ?? []).map { path in
        Concern(
          code: "plaintextFile",
          message: "\(Failure.quoted(path)) was imported and still has its tokens in plaintext; "
            + "delete it when no tool needs it.", next: nil)
      }
  }
}

extension StatusReport {
  /// The end of a sentence about a backup whose key the Secret Service has destroyed.
  private static func opening(_ backup: GroupHistory.Backup) -> String {
    guard let keys = backup.keys else { return "" }
    guard !keys.isEmpty else { return ": it can no longer be opened" }
    let words = keys.sorted { $0.rawValue > $1.rawValue }.map { key in
      switch key {
      case .recoveryCode: "recovery code"
      case .passphrase: "passphrase"
      case .keyFile: "key file"
      }
    }
    return ": only the \(words.joined(separator: " or ")) of that time opens it"
  }
}

extension StatusReport.Concern {
  init(_ failure: Failure) {
    self.init(
      code: failure.code, message: failure.message, next: failure.next, note: failure.note)
  }
}

extension Account {
  /// Whether neither a token nor a way to get one without the user is stored. A secret has an end if
  /// its user named one.
  func needsSignIn(_ now: Timestamp) -> Bool {
    guard isSignedIn else { return true }
    guard !isRefreshTokenStored else { return false }
    return accessTokenExpiresOn.map { $0 <= now } ?? (authorityType != .secret)
  }

  /// Whether the stored token works, and only a sign-in gives the next one: the provider has refused
  /// the refresh token, or issued none.
  func endsWithToken(_ now: Timestamp) -> Bool {
    guard authorityType != .secret, isSignedIn, !isRefreshTokenStored,
      let end = accessTokenExpiresOn
    else { return false }
    return end > now && !end.isNever
  }
}

extension Failure {
  /// Other commands would ask for the passphrase.
  fileprivate static func locked(_ group: GroupName) -> Failure {
    Failure(
      .refused, "The group is locked, and only its passphrase opens it. Nothing was changed.",
      next: "tokenvault group unlock \(group)", code: "passphraseRequired")
  }

  /// The sign-in that an account needs, or the `add` command of a stored secret.
  fileprivate static func needed(by account: Account, _ now: Timestamp) -> Failure {
    guard account.authorityType != .secret else {
      return Failure(.expired(account.accessTokenExpiresOn), account, account.group)
    }
    let name = name(account)
    var message = "\(name) is signed out."
    if account.isSignedIn {
      message = "The token of \(name) has expired, and there is none to renew it."
    }
    if account.endsWithToken(now), let end = account.accessTokenExpiresOn {
      message =
        "\(name) needs a new sign-in. The stored token works until \(end.iso8601), and nothing is "
        + "stored that renews it."
    }
    return Failure(
      .signInNeeded, message,
      next: command(
        "sign-in " + PlainText.shellWord([account].shortestForms[0]), account.group),
      code: account.isSignedIn ? "signInNeeded" : "signedOut")
  }
}
