/// The parameters of a key slot, which the group file stores in the clear: with them and the secret
/// the slot's key-encryption key is derived again.
package struct KeySlotParameters: Hashable, Sendable {
  /// How many bytes a new slot's salt has.
  package static let saltSize = 32

  /// scrypt's cost parameters (RFC 7914 section 2).
  package struct Cost: Hashable, Sendable {
    /// The binary logarithm of the CPU and memory cost N.
    package let logN: Int
    /// The block size.
    package let r: Int
    /// The parallelization.
    package let p: Int

    /// A cost with every parameter given.
    package init(logN: Int, r: Int, p: Int) {
      self.logN = logN
      self.r = r
      self.p = p
    }
  }

  /// Random bytes that make two slots under the same secret different.
  package let salt: [UInt8]
  /// How much work each guess of the secret takes; nil for a secret that cannot be guessed.
  package let cost: Cost?

  /// Parameters with every field given.
  package init(salt: [UInt8], cost: Cost? = nil) {
    self.salt = salt
    self.cost = cost
  }
}
