import TokenVault
import TokenVaultModel

/// The steps of `group restore`, and their messages.
struct RestoreWork {
  let vault: GroupSession
  /// The backup as the user named it.
  let file: String
  let code: RecoveryCodeOptions
  let custody: GroupManifest.Custody?
  let memory: PassphraseMemory
  let invocation: Invocation

  private var group: GroupName { vault.group }
  private var isJSON: Bool { invocation.options.isJSON }

  // MARK: Opening

  func open(_ path: String, replacing: Bool) throws -> Restore {
    try naming { try opened(path, replacing: replacing) }
  }

  /// Gives an error about the backup the name of its file: the group's own file is not meant.
  private func naming<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch VaultError.olderFile(let group, let generation, let newest) {
      throw CommandError.oldBackup(file, group: group, generation: generation, newest: newest)
    } catch VaultError.foreignBackup(let group, let other) {
      throw CommandError.backupOfOther(file, group: group, other: other)
    }
  }

  private func opened(_ path: String, replacing: Bool) throws -> Restore {
    let restore: Restore
    do { restore = try Restore(vault, from: path, replacing: replacing) } catch {
      throw Self.isNoGroupFile(error) ? CommandError.notABackup(file, group: group) : error
    }
    do {
      if code.isGiven {
        try restore.open(recoveryCode: try code.read(group, in: invocation))
      } else {
        try restore.open()
      }
    } catch {
      if Self.isNoGroupFile(error) { throw CommandError.notABackup(file, group: group) }
      guard !code.isGiven else { throw error }
      switch (error, restore.custody) {
      case (VaultError.noManifest, .keyFile), (VaultError.custody(.keyFileMissing, _), .keyFile):
        throw CommandError.keyFileNotNamed
      case (VaultError.custody(.keyMissing, _), _), (VaultError.custody(.wrongKey, _), _),
        (VaultError.custody(.devicePartMissing, _), _),
        (VaultError.store(.wrongKey, _), .secretService):
        throw CommandError.backupKeyMissing(
          file, group: group, hasRecoveryCode: restore.hasRecoveryCode)
      default: throw error
      }
    }
    return restore
  }

  private static func isNoGroupFile(_ error: any Error) -> Bool {
    switch error {
    case VaultError.store(.damaged, _), VaultError.store(.notAGroupFile, _): true
    default: false
    }
  }

  // MARK: Losses

  private static let mostLines = 20

  func tellLoss(_ loss: Restore.Loss) {
    if loss.isUnknown {
      Invocation.tell(
        "The present file of \(group) cannot be read, so its accounts are not listed here.")
    }
    guard !loss.accounts.isEmpty || !loss.newerTokens.isEmpty else { return }
    let lines =
      loss.accounts.map { "\(Failure.name($0)): not in the backup" }
      + loss.newerTokens.map { "\(Failure.name($0)): its tokens are newer than the backup's" }
    Invocation.tell("This would be lost:")
    for line in lines.prefix(Self.mostLines) { Invocation.tell("  \(line)") }
    if lines.count > Self.mostLines {
      Invocation.tell("  and \(lines.count - Self.mostLines) more")
    }
  }

  func question(_ restore: Restore) -> String {
    let backup = Self.count(restore.findings.accounts)
    return restore.loss.isUnknown
      ? "Replace the group \(group) by the backup with \(backup)?"
      : "Replace the group \(group) with \(Self.count(restore.loss.present)) by the backup with "
        + "\(backup)?"
  }

  private static func count(_ accounts: Int) -> String {
    accounts == 1 ? "1 account" : "\(accounts) accounts"
  }

  func tellDryRun(_ restore: Restore, as other: GroupName?) throws {
    if isJSON {
      return try invocation.answerJSON { writer in
        writer.object { writer in
          writer.field("group", (other ?? group).description)
          writer.field("dryRun", true)
          writer.field("accounts", restore.findings.accounts)
          writer.field("credentials", restore.findings.credentials)
          writer.key("lostAccounts")
          writer.array(restore.loss.accounts) { $1.write(to: &$0) }
          writer.key("newerTokens")
          writer.array(restore.loss.newerTokens) { $1.write(to: &$0) }
        }
      }
    }
    tellLoss(restore.loss)
    try invocation.answer(
      "Would restore the group \(other ?? group): \(Self.count(restore.findings.accounts)). "
        + "Nothing was changed.")
  }

  // MARK: Changing

  func replace(_ restore: Restore) throws {
    let next = try nextCustody(restore)
    if code.isGiven {
      // A keyring or passphrase that is not to be had is reported before anything is changed.
      switch next {
      case .secretService: try restore.requireKeyring()
      case .passphrase: _ = try memory.answer(.create(group))
      case .keyFile: break
      }
    }
    let isNew = try saveManifest(next, restore)
    try naming { try restore.install() }
    if isNew { invocation.tell("Saved a manifest of the group \(group).") }
    let report =
      code.isGiven
      ? try restore.renew(to: custody, progress: invocation.progress(RenewalMessages.label)) : nil
    if isJSON {
      try invocation.answerJSON { restore.findings.write(group, to: &$0) }
    } else {
      try invocation.answer(
        "Restored the group \(group): \(Self.count(restore.findings.accounts)).")
    }
    guard let report else { return }
    RenewalMessages.lines(report, group).forEach(invocation.tell)
    invocation.tell(
      "The group has new keys, and the recovery code is no longer valid. To make a new one: "
        + "tokenvault group recovery-code \(group)")
    // Without the keyring there is no former key in it.
    if let left = report.left, next == .secretService { throw left }
  }

  /// Saves a manifest if the group has none, or if it names another key file than the user did.
  private func saveManifest(_ next: GroupManifest.Custody, _ restore: Restore) throws -> Bool {
    if try restore.saveMissingManifest(next) { return true }
    guard !code.isGiven, restore.custody == .keyFile, var manifest = try found(vault),
      manifest.custody != next
    else { return false }
    manifest.custody = next
    try vault.configuration.manifests.save(manifest)
    return true
  }

  /// The custody of the restored group.
  private func nextCustody(_ restore: Restore) throws -> GroupManifest.Custody {
    if let custody { return custody }
    switch restore.custody {
    case .secretService: return .secretService
    case .passphrase: return .passphrase
    case .keyFile:
      do {
        let manifest = try vault.configuration.manifests.find(group).manifest
        if case .keyFile = manifest.custody { return manifest.custody }
      } catch VaultError.noManifest {}
      throw CommandError.keyFileNotNamed
    }
  }

  func fill(_ other: GroupSession, _ restore: Restore) throws {
    let madeKey = try restore.fill(other, from: try manifest(of: other, restore))
    if let madeKey { invocation.tell("Created the key file \(PlainText.escaped(madeKey)).") }
    if isJSON { return try invocation.answerJSON { restore.findings.write(other.group, to: &$0) } }
    try invocation.answer(
      "Restored the backup of \(group) as the group \(other.group), with keys of its own: "
        + "\(Self.count(restore.findings.accounts)).")
  }

  /// The other group's own manifest, else one like that of the group.
  private func manifest(of other: GroupSession, _ restore: Restore) throws -> GroupManifest {
    if let own = try found(other) {
      var own = own
      if let custody { own.custody = custody }
      return own
    }
    let chosen: GroupManifest.Custody
    switch (custody, restore.custody) {
    case (let custody?, _): chosen = custody
    case (nil, .secretService): chosen = .secretService
    case (nil, .passphrase): chosen = .passphrase
    // The group's own key file would open both groups.
    case (nil, .keyFile): throw CommandError.keyFileNotNamed
    }
    var made = GroupManifest(plain: other.group, custody: chosen)
    if let model = try found(vault) {
      (made.members, made.deviceMode) = (model.members, model.deviceMode)
    }
    return made
  }

  private func found(_ session: GroupSession) throws -> GroupManifest? {
    do { return try session.configuration.manifests.find(session.group).manifest } catch VaultError
      .noManifest
    { return nil }
  }
}
