import Glibc
package import TokenVaultCrypto
package import TokenVaultGroupStore
import TokenVaultKeyCustody
package import TokenVaultModel
import TokenVaultSystem

/// Restores a group from a backup, in steps: copy the backup to the vault's directory, open the copy,
/// compare it with the present group, and put it in its place. Only the last step changes the group.
package final class Restore {
  private let session: GroupSession
  private let copy: String
  private let identity: [UInt64]?
  /// Shows `doctor --fix` that the copy is in use.
  private let descriptor: Int32
  private let header: GroupHeader
  /// Whether the backup takes the place of the group, or goes to another group.
  private let replaces: Bool
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }
  private var backup: UnlockedGroup?
  private var present = Present.none

  /// Whether the backup has a slot for a recovery code.
  package let hasRecoveryCode: Bool
  package var custody: GroupCustodyKind { header.custody }
  /// The content of the backup, once it is open.
  package private(set) var findings = VerificationReport()
  /// The losses of the present group, once the backup is open.
  package private(set) var loss = Loss()

  /// The losses of a restore.
  package struct Loss {
    /// The number of accounts of the present group.
    package var present = 0
    /// Accounts that are not in the backup.
    package var accounts: [Account] = []
    /// Accounts of the backup that have newer tokens now.
    package var newerTokens: [Account] = []
    /// Whether the present group cannot be opened, or not all of it can be read.
    package var isUnknown = false
    /// Whether the user has to be asked.
    package var isPossible: Bool { present > 0 || isUnknown }
  }

  /// The present file.
  private enum Present: Equatable {
    case none
    case damaged
    /// The number of changes is nil if the group does not open.
    case group(GroupHeader, changes: UInt64?)
  }

  /// Copies the backup at `path`, and refuses the backup of another group as far as that is seen
  /// without a key.
  package init(
    _ session: GroupSession, from path: String, replacing replaces: Bool = true
  ) throws(VaultError) {
    let configuration = session.configuration
    let copy = StaleCopies(configuration).restoreCopy
    (descriptor, header, hasRecoveryCode) = try vaultErrors(session.group) {
      try FileSafety.makeDirectory(configuration.groupsDirectory)
      try FileSafety.checkIsLocal(configuration.groupsDirectory)
      return try FileLock.hold(configuration.lockPath, waiting: 60_000) {
        try GroupCreation.remove(copy)
        var descriptor: Int32 = -1
        do {
          descriptor = try GroupBackup.fetch(path, to: copy)
          let locked = try LockedGroup(path: copy)
          return (descriptor, locked.header, try locked.slot(.recovery) != nil)
        } catch {
          close(descriptor)
          try GroupCreation.remove(copy)
          throw error
        }
      }
    }
    identity = FileSafety.identity(of: copy)
    self.copy = copy
    self.session = session
    self.replaces = replaces
    try vaultErrors(group) { try self.requireOwnFile() }
  }

  deinit {
    backup = nil
    defer { close(descriptor) }
    guard let identity, identity == FileSafety.identity(of: copy) else { return }
    bestEffort("the copy is encrypted, and the next restore or sign-out removes it") {
      try GroupCreation.remove(copy)
    }
  }

  // MARK: Opening

  /// Opens the backup with the key of its custody.
  package func open() throws(VaultError) {
    try vaultErrors(group) {
      try self.take(try KeyRetrieval(configuration: self.configuration).open(self.copy))
    }
  }

  /// Opens the backup with its recovery code. The code opens old backups, too; one from before a
  /// sign-out is refused if this machine has a newer key: an erased account must not return.
  package func open(recoveryCode: borrowing SecretBytes) throws(VaultError) {
    do {
      let opened = try Recovery.unlocked(copy, by: recoveryCode)
      try refuseOlder(newest: newestPart())
      try take(opened)
    } catch {
      try vaultErrors(group) { throw error }
    }
  }

  private func newestPart() -> UInt64? {
    let parts = KeyPartStore(configuration)
    var found: [UInt64] = []
    bestEffort("a new machine has no directory of parts") {
      found += try parts.device.generations(of: header.groupID)
    }
    bestEffort("a machine without a keyring has no part in it") {
      found += try parts.keyring.generations(of: header.groupID)
    }
    return found.max()
  }

  private func refuseOlder(newest: UInt64?) throws(VaultError) {
    guard let newest, newest > header.generation else { return }
    throw .olderFile(group, generation: header.generation, newest: newest)
  }

  private func take(_ opened: UnlockedGroup) throws {
    guard opened.header == header else { throw StoreError.busy }
    findings = try opened.read { try $0.verify() }
    guard findings.isComplete else { throw StoreError.damaged(rows: nil) }
    if let name = try opened.read({ try $0.groupName() }), name != group.description {
      throw VaultError.foreignBackup(group, of: GroupName(name))
    }
    backup = opened
    guard replaces else { return }
    (present, loss) = try comparison(with: opened)
  }

  private func opened() throws -> UnlockedGroup {
    guard let backup else { throw StoreError.wrongKey }
    return backup
  }

  private static func key(of group: UnlockedGroup) throws -> SecretBytes {
    try group.withKey { GenerationKey(try $0.clone()) }.key.clone()
  }

  // MARK: The group that the backup is of

  private func requireOwnFile() throws {
    if replaces, let own = try presentHeader()?.header {
      guard own.groupID == header.groupID else {
        throw VaultError.foreignBackup(group, of: try nameOfOther())
      }
      try refuseOlder(newest: own.generation)
    } else if let other = try nameOfOther() {
      throw VaultError.foreignBackup(group, of: other)
    }
  }

  /// The other group on this machine whose file has the id of the backup.
  private func nameOfOther() throws -> GroupName? {
    let directory = configuration.groupsDirectory
    return try GroupFiles.names(in: directory, suffix: ".vault").first { name in
      guard name != group else { return false }
      let path = configuration.with(group: name).groupPath
      // A group that cannot be read cannot be recognised.
      do { return try LockedGroup(path: path).header.groupID == header.groupID } catch {
        return false
      }
    }
  }

  // MARK: The present group

  private func presentHeader() throws -> LockedHeader? {
    do {
      return LockedHeader(header: try LockedGroup(path: configuration.groupPath).header)
    } catch StoreError.notFound {
      return nil
    } catch StoreError.damaged, StoreError.notAGroupFile {
      return LockedHeader(header: nil)
    }
  }

  /// The header of a file; nil if it is damaged.
  private struct LockedHeader { let header: GroupHeader? }

  private func comparison(with backup: UnlockedGroup) throws -> (Present, Loss) {
    var loss = Loss()
    guard let found = try presentHeader() else { return (.none, loss) }
    guard let header = found.header else { return (.damaged, loss) }
    do {
      // A present group of the same generation has the key of the backup.
      let group = try LockedGroup(path: configuration.groupPath).unlock(try Self.key(of: backup))
      let known = try Self.credentials(of: backup)
      let changes = try group.read { transaction in
        let damaged = try transaction.forEachAccount { stored throws(StoreError) in
          loss.present += 1
          let account = session.lookup.account(stored, in: transaction)
          guard let kept = known[stored.record.knownIdentity] else {
            return loss.accounts.append(account)
          }
          if !stored.record.stored.allSatisfy({ kept.contains($0.credential) }) {
            loss.newerTokens.append(account)
          }
        }
        loss.isUnknown = damaged > 0
        return transaction.state.changes
      }
      return (.group(header, changes: changes), loss)
    } catch StoreError.wrongKey, StoreError.damaged {
      loss = Loss()
      loss.isUnknown = true
      return (.group(header, changes: nil), loss)
    }
  }

  private static func credentials(
    of group: UnlockedGroup
  ) throws -> [AccountIdentity: Set<Credential>] {
    var found: [AccountIdentity: Set<Credential>] = [:]
    try group.read { transaction in
      _ = try transaction.forEachAccount { account throws(StoreError) in
        found[account.record.knownIdentity] = Set(account.record.stored.map(\.credential))
      }
    }
    return found
  }

  // MARK: Changing

  /// Writes a manifest for the group if this machine has none.
  /// - Returns: Whether it was written.
  @discardableResult
  package func saveMissingManifest(_ custody: GroupManifest.Custody) throws(VaultError) -> Bool {
    do { _ = try configuration.manifests.find(group) } catch .noManifest {
      try configuration.manifests.save(GroupManifest(plain: group, custody: custody))
      return true
    }
    return false
  }

  /// Puts the backup in the place of the group.
  /// - Throws: ``StoreError/busy`` if the group has changed since the backup was opened.
  package func install() throws(VaultError) {
    session.close()
    try vaultErrors(group) {
      let backup = try self.opened()
      try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        guard try self.comparison(with: backup).0 == self.present else { throw StoreError.busy }
        let path = self.configuration.groupPath
        switch self.present {
        case .none, .damaged:
          // No process can have a damaged file open, so none uses its log.
          let draft = StaleCopies(self.configuration).restoreDraft
          try GroupCreation.remove(draft)
          try GroupBackup.write(backup, toDraft: draft)
          try GroupCreation.publish(path, from: draft, replacing: self.present == .damaged)
        case .group: try GroupBackup.install(backup, over: path)
        }
      }
    }
  }

  /// Gives the group, which has just been restored by its recovery code, new keys in a custody of
  /// this machine. The code becomes invalid.
  /// - Parameter custody: The custody; nil for that of the backup.
  package func renew(
    to custody: GroupManifest.Custody?, progress: @escaping (Int, Int) -> Void
  ) throws(VaultError) -> RenewalReport {
    try vaultErrors(group) {
      let key = try Self.key(of: self.opened())
      self.session.adopt(try LockedGroup(path: self.configuration.groupPath).unlock(key))
    }
    return try Rekey(session, progress: progress).run(to: custody)
  }

  /// Makes sure that the keyring responds, before there is anything to undo.
  package func requireKeyring() throws(VaultError) {
    try vaultErrors(group) {
      _ = try KeyPartStore(self.configuration).keyring.generations(of: self.header.groupID)
    }
  }

  /// Makes another group with the content of the backup, under keys of its own.
  /// - Returns: The path of the key file that was created; nil if none was.
  package func fill(
    _ other: GroupSession, from manifest: GroupManifest
  ) throws(VaultError) -> String? {
    try vaultErrors(group) {
      try self.opened().read { source in
        try GroupSetup(other).create(from: manifest) { try $0.fill(from: source) }
      }
    }
  }
}
