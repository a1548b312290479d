package import TokenVaultCrypto

/// Derives key-encryption keys from a passphrase with scrypt (RFC 7914).
package final class PassphraseCustodian: DerivingKeyCustodian {
  /// Half a second and 128 MiB for each guess.
  package static let newSlotCost: KeySlotParameters.Cost? = leastCost
  private static let leastCost = KeySlotParameters.Cost(logN: 17, r: 8, p: 1)

  private let passphrase: SecretBytes

  /// A custodian for one passphrase, which is wiped when the last reference goes.
  package init(_ passphrase: consuming SecretBytes) { self.passphrase = passphrase }

  /// The 32 bytes of scrypt over the passphrase.
  ///
  /// Throws `passphraseRequired` for an empty passphrase and `crypto` for a cost that is lower than
  /// a new group's (a changed file must not make guessing cheap) or that takes more than 1 GiB.
  package func key(_ slot: KeySlotParameters) throws(CustodyError) -> SecretBytes {
    guard passphrase.count > 0 else { throw .passphraseRequired }
    let least = Self.leastCost
    guard let cost = slot.cost, cost.logN >= least.logN, cost.r >= least.r, cost.p >= least.p
    else { throw .crypto }
    return try crypto(passphrase) { (passphrase) throws(CryptoError) in
      try KeyDerivation.scrypt(
        passphrase, salt: slot.salt, logN: cost.logN, r: cost.r, p: cost.p, count: groupKeySize)
    }
  }
}
