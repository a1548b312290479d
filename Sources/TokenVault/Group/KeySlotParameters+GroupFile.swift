import TokenVaultGroupStore
import TokenVaultKeyCustody

// The group file stores scrypt's cost as three numbers, which are all 0 for a slot without a cost.

extension KeySlotParameters {
  /// The parameters of a slot in the group file. A number that does not fit is clamped to the
  /// largest value, which no custodian accepts.
  init(_ stored: KeySlot.Parameters) {
    let isFree = stored.logN == 0 && stored.r == 0 && stored.p == 0
    self.init(
      salt: stored.salt,
      cost: isFree
        ? nil
        : Cost(
          logN: Int(clamping: stored.logN), r: Int(clamping: stored.r), p: Int(clamping: stored.p)))
  }
}

extension KeySlot.Parameters {
  /// The parameters of a new slot, in the form that the group file stores.
  init(_ parameters: KeySlotParameters) {
    self.init(
      salt: parameters.salt, logN: UInt64(clamping: parameters.cost?.logN ?? 0),
      r: UInt64(clamping: parameters.cost?.r ?? 0), p: UInt64(clamping: parameters.cost?.p ?? 0))
  }
}
