import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultCrypto
import TokenVaultModel

/// Puts a group's key into a custody, and moves it from one to another.
struct GroupCustody {
  private let configuration: VaultConfiguration
  private let retrieval: KeyRetrieval

  init(_ configuration: VaultConfiguration) {
    self.configuration = configuration
    retrieval = KeyRetrieval(configuration: configuration)
  }

  var custodian: SecretServiceCustodian { retrieval.custodian }

  /// What a new slot is sealed with.
  final class SlotMaterial {
    let key: SecretBytes
    let parameters: LockedGroup.Slot.Parameters

    init(key: consuming SecretBytes, parameters: LockedGroup.Slot.Parameters) {
      self.key = key
      self.parameters = parameters
    }
  }

  /// A key-encryption key for a new slot: a new passphrase, or the key file's content.
  func slotMaterial(
    _ custody: GroupHeader.Custody, keyFile: String? = nil
  ) throws -> SlotMaterial {
    var parameters = LockedGroup.Slot.Parameters(salt: try RandomBytes.make(32))
    guard custody == .passphrase else {
      let key = try KeyFileCustody.keyEncryptionKey(
        path: try keyFile ?? retrieval.keyFilePath(), salt: parameters.salt)
      return SlotMaterial(key: key, parameters: parameters)
    }
    guard let passphrase = try configuration.askPassphrase(.create(configuration.group)) else {
      throw CustodyError.passphraseRequired
    }
    guard passphrase.count > 0 else { throw VaultError.invalid(.passphrase) }
    parameters.logN = UInt64(PassphraseCustody.logN)
    parameters.r = UInt64(PassphraseCustody.r)
    parameters.p = UInt64(PassphraseCustody.p)
    let key = try PassphraseCustody.keyEncryptionKey(
      passphrase: passphrase, salt: parameters.salt, logN: PassphraseCustody.logN,
      r: PassphraseCustody.r, p: PassphraseCustody.p)
    return SlotMaterial(key: key, parameters: parameters)
  }

  /// The caller holds the group's lock.
  /// - Returns: what failed after the commit.
  func rekey(
    _ group: UnlockedGroup, to custody: GroupHeader.Custody, keyFile: String?
  ) throws -> (any Error)? {
    let material =
      custody == .secretService ? nil : try slotMaterial(custody, keyFile: keyFile)
    let outcome = try Rotation(configuration).run(
      group, to: custody,
      finally: { transaction in
        try transaction.setCustody(custody)
        try transaction.removeSlot(.recovery)
        try transaction.removeSlot(.custody)
        if let material {
          try transaction.setSlot(.custody, under: material.key, parameters: material.parameters)
        }
      }, { _ in [] })
    return outcome.oldKeyFailure ?? outcome.kernelFailure
  }
}
