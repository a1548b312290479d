package import TokenVaultGroupStore
import TokenVaultKeyCustody
package import TokenVaultModel

/// Moves a group to new keys, and to another custody if one is given.
package struct Rekey {
  private let session: GroupSession
  private let renewal: Renewal
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }
  private var custodies: GroupCustody { GroupCustody(configuration) }

  /// - Parameters:
  ///   - patience: The time in milliseconds to wait for refreshes, and then for a sign-out.
  ///   - progress: Called after each account with the number of accounts so far, and of all.
  package init(
    _ session: GroupSession, patience: Int = 60_000,
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) {
    self.session = session
    renewal = Renewal(session, patience: patience, progress)
  }

  /// Renews the group and, if a custody is given, moves it to that custody and changes the manifest
  /// accordingly. A key file that does not exist is created. Without a custody, or with the key
  /// file in force, the key file gets new content. The recovery code becomes invalid.
  ///
  /// The manifest of the new custody is staged before the key changes, and replaces the manifest in
  /// force afterwards. If the change is interrupted anywhere, the two manifests together name the
  /// key file that opens the group.
  package func run(to custody: GroupManifest.Custody? = nil) throws(VaultError) -> RenewalReport {
    try vaultErrors(group) {
      let present = try self.present()
      let material = try self.material(custody.map(GroupHeader.Custody.init) ?? present.custody)
      return try self.renewal.whileAlone { group in
        guard group.header.custody == present.custody else { throw StoreError.busy }
        var report = try self.run(group, to: custody, material)
        report.hadRecoveryCode = present.hasRecoveryCode
        return report
      }
    }
  }

  /// Renews the group under another custody; the manifest is unchanged.
  /// - Parameters:
  ///   - custody: The custody of the new key; nil for the present one.
  ///   - keyFile: The key file to move to; nil for the one that opens groups.
  package func changeKey(
    to custody: GroupHeader.Custody? = nil, keyFile: String? = nil
  ) throws(VaultError) -> RenewalReport {
    try vaultErrors(group) {
      let present = try self.present().custody
      let custody = custody ?? present
      let material = try self.material(custody)
      return try self.renewal.whileAlone { group in
        try self.renew(group, to: custody, material, keyFile: keyFile)
      }
    }
  }

  /// A group that does not open is reported before its locks are made.
  private func present() throws -> (custody: GroupHeader.Custody, hasRecoveryCode: Bool) {
    try session.withGroup { group in
      (group.header.custody, try group.read { try $0.hasSlot(.recovery) })
    }
  }

  // MARK: Slots

  /// A passphrase that was read before any lock is held.
  private struct NewPassphrase {
    let material: GroupCustody.SlotMaterial
    let isUnchanged: Bool
  }

  /// Nil unless the custody is a passphrase.
  private func material(_ custody: GroupHeader.Custody) throws -> NewPassphrase? {
    guard custody == .passphrase else { return nil }
    let custodian = try custodies.newPassphrase()
    return NewPassphrase(
      material: try GroupCustody.slotMaterial(custodian),
      isUnchanged: try custodies.isPresent(custodian))
  }

  private func renew(
    _ group: UnlockedGroup, to custody: GroupHeader.Custody, _ passphrase: NewPassphrase?,
    keyFile: String?
  ) throws -> RenewalReport {
    let material =
      try passphrase?.material
      ?? (custody == .keyFile ? custodies.slotMaterial(.keyFile, keyFile: keyFile) : nil)
    let outcome = try renewal.run(group, custody: custody) { transaction in
      guard let material else { return }
      try transaction.setSlot(.custody, under: material.key, parameters: material.parameters)
    }
    var report = RenewalReport(outcome, self.group)
    report.keepsPassphrase = passphrase?.isUnchanged ?? false
    return report
  }

  // MARK: Manifests and key files

  private func run(
    _ group: UnlockedGroup, to custody: GroupManifest.Custody?, _ passphrase: NewPassphrase?
  ) throws -> RenewalReport {
    let manifests = configuration.manifests
    try completeFormerRekey(group)
    if let path = try keyFileToReplace(group.header.custody, custody) {
      return try replacing(path, group)
    }
    let before = try GroupInspection(session).describe().manifest?.manifest
    var after = before
    if let custody { after?.custody = custody }
    let next = after == before ? nil : after
    var keyFile: String?
    if case .keyFile(let path)? = custody { keyFile = path }
    var created: String?
    if let custody { created = try KeyFileCreation.createIfMissing(custody) }
    var report: RenewalReport
    do {
      if let next { try manifests.stage(next) }
      report = try renew(
        group, to: custody.map(GroupHeader.Custody.init) ?? group.header.custody, passphrase,
        keyFile: keyFile)
    } catch {
      if !group.isLastCommitInDoubt {
        if next != nil { try manifests.unstage(self.group) }
        if let created { KeyFileCreation.takeBack(created) }
      }
      throw error
    }
    report.finish(self.group) {
      if let next { try manifests.save(next) }
      try manifests.unstage(self.group)
    }
    return report
  }

  /// The key file in force, if the group is to stay with it. Its former content would still open a
  /// slot that was sealed with it, so it gets new content.
  private func keyFileToReplace(
    _ present: GroupHeader.Custody, _ custody: GroupManifest.Custody?
  ) throws -> String? {
    guard present == .keyFile else { return nil }
    let path = try custodies.retrieval.keyFilePath()
    switch custody {
    case nil: return path
    case .keyFile(let named)?:
      let file = FileSafety.identity(of: path)
      return named == path || (file != nil && FileSafety.identity(of: named) == file) ? path : nil
    default: return nil
    }
  }

  private func replacing(_ path: String, _ group: UnlockedGroup) throws -> RenewalReport {
    let manifests = configuration.manifests
    let replacement = KeyFileReplacement(configuration, path: path)
    try replacement.requireReplaceable()
    var next = try manifests.find(self.group).manifest
    next.custody = .keyFile(path: replacement.draft)
    try manifests.stage(next)
    var report: RenewalReport
    do {
      try replacement.makeDraft()
      report = try renew(group, to: .keyFile, nil, keyFile: replacement.draft)
    } catch {
      if !group.isLastCommitInDoubt {
        try manifests.unstage(self.group)
        replacement.removeDraft()
      }
      throw error
    }
    report.finish(self.group) {
      try replacement.finish()
      try manifests.unstage(self.group)
    }
    report.replacedKeyFile = path
    return report
  }

  /// A rekey that was interrupted after its commit left the custody in force in the staged manifest.
  /// The next staged manifest must not replace it.
  private func completeFormerRekey(_ group: UnlockedGroup) throws {
    let manifests = configuration.manifests
    guard let staged = try manifests.staged(self.group) else { return }
    guard try isInForce(staged.custody, group) else {
      // The commit that needs this custody failed and may still come back from the log. A commit of
      // this process takes its place there.
      return try group.write { _ in }
    }
    let present = try GroupInspection(session).describe().manifest?.manifest
    if let present, try isInForce(present.custody, group) {
      // Someone has put it there since.
      return try manifests.unstage(self.group)
    }
    if case .keyFile(let path)? = present?.custody,
      case let former = KeyFileReplacement(configuration, path: path),
      staged.custody == .keyFile(path: former.draft)
    {
      try former.finish()
    } else {
      // The members may have changed since.
      var manifest = present ?? staged
      manifest.custody = staged.custody
      try manifests.save(manifest)
    }
    try manifests.unstage(self.group)
  }

  private func isInForce(
    _ custody: GroupManifest.Custody, _ group: UnlockedGroup
  ) throws -> Bool {
    guard GroupHeader.Custody(custody) == group.header.custody else { return false }
    guard case .keyFile(let path) = custody else { return true }
    return try custodies.opensSlot(path)
  }
}

extension RenewalReport {
  init(_ outcome: Rotation.Outcome, _ group: GroupName) {
    self.init(
      unreadable: outcome.report.unreadable,
      unreadableCredentials: outcome.report.unreadableCredentials, logIsEmpty: outcome.logIsEmpty)
    do { try vaultErrors(group) { if let left = outcome.leftover { throw left } } } catch {
      left = error
    }
  }

  /// Completes a renewal that is in force. A failure is reported with the renewal, not thrown: that
  /// would mean that nothing has changed. The next command that needs the step repeats it.
  fileprivate mutating func finish(_ group: GroupName, _ step: () throws -> Void) {
    do { try vaultErrors(group, step) } catch { left = left ?? error }
  }
}
