package import TokenVaultCrypto

/// The key of a generation that is about to begin.
package final class GenerationKey: Sendable {
  /// K(g).
  package let key: SecretBytes
  /// The parts that it is derived from, if the Secret Service is its custody; nil if a slot of the
  /// file has it.
  package let parts: KeyParts?

  /// A key that a slot of the file will have.
  package init(_ key: consuming SecretBytes) {
    self.key = key
    parts = nil
  }

  /// The key that is derived from `parts` for the group with this id.
  package init(_ parts: KeyParts, of group: [UInt8]) throws(StoreError) {
    key = try parts.key(of: group)
    self.parts = parts
  }

  /// A random key for this custody.
  package convenience init(
    for custody: GroupHeader.Custody, of group: [UInt8]
  ) throws(StoreError) {
    if custody == .secretService {
      try self.init(KeyParts(), of: group)
    } else {
      do { self.init(try SecretBytes.random(count: 32)) } catch { throw .crypto }
    }
  }
}
