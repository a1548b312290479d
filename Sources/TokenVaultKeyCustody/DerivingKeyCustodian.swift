internal import TokenVaultCrypto

/// A custodian that derives a key-encryption key from a secret and from the parameters of the key
/// slot that it opens.
///
/// It cannot tell a wrong secret from the right one: both give a key, and sealing with
/// authentication makes the slot refuse the wrong one.
package protocol DerivingKeyCustodian: KeyCustodian where Reference == KeySlotParameters {
  /// The cost of a new slot; nil for a secret of full entropy, which no one can guess.
  static var newSlotCost: KeySlotParameters.Cost? { get }
}

extension DerivingKeyCustodian {
  /// Parameters for a new slot: a random salt and ``newSlotCost``.
  package static func newSlotParameters() throws(CustodyError) -> KeySlotParameters {
    let salt = try crypto { () throws(CryptoError) in
      try RandomBytes.make(KeySlotParameters.saltSize)
    }
    return KeySlotParameters(salt: salt, cost: newSlotCost)
  }
}
