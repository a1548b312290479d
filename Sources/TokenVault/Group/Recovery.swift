package import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel

/// Makes recovery codes, and opens a group with one.
package struct Recovery {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// Opens the group with its recovery code if its custody cannot open it.
  package func open(recoveryCode: borrowing SecretBytes) throws(VaultError) {
    try session.admit()
    do {
      let locked = try LockedGroup(path: configuration.groupPath)
      guard let slot = try locked.slot(.recovery) else {
        throw CustodyError.badRecoveryCode
      }
      let code = try RecoveryCode.parse(recoveryCode)
      let encryptionKey = try code.keyEncryptionKey(salt: slot.parameters.salt)
      let key = try locked.open(slot, at: .recovery, with: encryptionKey)
      session.adopt(try locked.unlock(key))
    } catch let error as StoreError {
      throw error.vaultError(group)
    } catch let error as CustodyError {
      throw .custody(error, group: group)
    } catch { throw .unexpected(type: String(describing: type(of: error))) }
  }

  /// Makes a recovery code. It replaces an older one.
  /// - Returns: The code in the form that is shown to the user, once.
  package func makeRecoveryCode() throws(VaultError) -> SecretBytes {
    var shown: SecretBytes?
    try session.write { transaction in
      let code = try RecoveryCode.make()
      let salt = try RandomBytes.make(32)
      let key = try code.keyEncryptionKey(salt: salt)
      try transaction.setSlot(.recovery, under: key, parameters: KeySlot.Parameters(salt: salt))
      shown = try code.printable()
    }
    guard let shown else { throw .unexpected(type: "RecoveryCode") }
    return shown
  }
}
