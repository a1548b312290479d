import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultCrypto
import TokenVaultModel

/// Puts a group's key into a custody, and moves it from one custody to another.
struct GroupCustody {
  let configuration: VaultConfiguration
  let retrieval: KeyRetrieval

  init(_ configuration: VaultConfiguration) {
    self.configuration = configuration
    retrieval = KeyRetrieval(configuration: configuration)
  }

  var parts: KeyPartStore { retrieval.parts }

  /// The key that seals a new slot, and its parameters.
  final class SlotMaterial {
    let key: SecretBytes
    let parameters: KeySlot.Parameters

    init(key: consuming SecretBytes, parameters: KeySlot.Parameters) {
      self.key = key
      self.parameters = parameters
    }
  }

  /// A key-encryption key for a new slot, derived from a new passphrase or from the content of the
  /// key file.
  func slotMaterial(
    _ custody: GroupHeader.Custody, keyFile: String? = nil
  ) throws -> SlotMaterial {
    guard custody == .passphrase else {
      let custodian = KeyFileCustodian(path: try keyFile ?? retrieval.keyFilePath())
      return try Self.slotMaterial(custodian)
    }
    return try Self.slotMaterial(try newPassphrase())
  }

  /// Asks for a new passphrase.
  func newPassphrase() throws -> PassphraseCustodian {
    guard let passphrase = try configuration.askPassphrase(.create(configuration.group)) else {
      throw CustodyError.passphraseRequired
    }
    guard passphrase.count > 0 else { throw VaultError.invalid(.passphrase) }
    return PassphraseCustodian(passphrase)
  }

  static func slotMaterial<Custodian: DerivingKeyCustodian>(
    _ custodian: Custodian
  ) throws -> SlotMaterial {
    let slot = try Custodian.newSlotParameters()
    return SlotMaterial(
      key: try custodian.key(slot), parameters: KeySlot.Parameters(slot))
  }
}
