package import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultSystem

/// Makes recovery codes, and opens a group with one.
package struct Recovery {
  private let session: GroupSession
  private let renewal: Renewal
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  /// - Parameter progress: As for ``Rekey``.
  package init(_ session: GroupSession, progress: @escaping (Int, Int) -> Void = { _, _ in }) {
    self.session = session
    renewal = Renewal(session, progress)
  }

  /// Opens the group with its recovery code if its custody cannot open it.
  package func open(recoveryCode: borrowing SecretBytes) throws(VaultError) {
    try session.admit()
    do {
      session.adopt(try Self.unlocked(configuration.groupPath, by: recoveryCode))
    } catch let error as StoreError {
      throw error.vaultError(group)
    } catch let error as CustodyError {
      throw .custody(error, group: group)
    } catch { throw .unexpected(type: String(describing: type(of: error))) }
  }

  /// Opens a group file with its recovery code.
  static func unlocked(
    _ path: String, by recoveryCode: borrowing SecretBytes
  ) throws -> UnlockedGroup {
    let locked = try LockedGroup(path: path)
    guard let slot = try locked.slot(.recovery) else { throw CustodyError.badRecoveryCode }
    let code = try RecoveryCode.parse(recoveryCode)
    let encryptionKey = try code.keyEncryptionKey(salt: slot.parameters.salt)
    let key = try locked.open(slot, at: .recovery, with: encryptionKey)
    return try locked.unlock(key)
  }

  /// Makes a recovery code, and renews the group: otherwise a former code, with a copy of the file
  /// from its time, would lead to the present key. A passphrase is asked for even if the group is
  /// unlocked, because the slot that it opens gets a new key.
  /// - Parameter show: Called once, with the code in the form that is shown to the user, as soon as
  ///   it is in force: the former code is void from then on, and deleting the former key may take
  ///   long, or be interrupted.
  package func makeRecoveryCode(
    _ show: (borrowing SecretBytes) -> Void
  ) throws(VaultError) -> RenewalReport {
    try session.admit()
    do { return try make(show) } catch {
      try vaultErrors(group) { throw error }
      throw .unexpected(type: String(describing: type(of: error)))
    }
  }

  private func make(_ show: (borrowing SecretBytes) -> Void) throws -> RenewalReport {
    let (material, present) = try GroupCustody(configuration).presentSecret(opening: session)
    let hadCode = try session.read { try $0.hasSlot(.recovery) }
    let code = try RecoveryCode.make()
    let shown = try code.printable()
    let salt = try RandomBytes.make(32)
    let key = try code.keyEncryptionKey(salt: salt)
    var report = try renewal.whileAlone { group in
      // A rekey may have changed the passphrase meanwhile.
      guard group.header == present else { throw StoreError.busy }
      return try renew(group, material, key, salt: salt) { show(shown) }
    }
    report.hadRecoveryCode = hadCode
    bestEffort("the code is in force, and only the time when it was made is not known") {
      let time = session.now
      try session.write { transaction in
        try transaction.changeHistory { $0.recoveryCodeMade = time }
      }
    }
    return report
  }

  private func renew(
    _ group: UnlockedGroup, _ material: GroupCustody.SlotMaterial?, _ key: borrowing SecretBytes,
    salt: [UInt8], committed: () -> Void
  ) throws -> RenewalReport {
    let key = try key.clone()
    let outcome = try renewal.run(
      group, custody: group.header.custody, committed: committed
    ) { transaction in
      if let material {
        try transaction.setSlot(.custody, under: material.key, parameters: material.parameters)
      }
      try transaction.setSlot(.recovery, under: key, parameters: KeySlot.Parameters(salt: salt))
    }
    return RenewalReport(outcome, self.group)
  }
}
