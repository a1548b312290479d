package import TokenVaultCrypto

/// The two parts of a group's key whose custody is the Secret Service: one is kept by the keyring,
/// the other by this device. Neither part alone opens anything.
///
/// A keyring daemon may keep a deleted secret in its memory, in a recycle bin or in a backup. The
/// device part is a small file that a rotation overwrites, so that the erasure does not depend on
/// the daemon.
package final class KeyParts: Sendable {
  /// 32 random bytes.
  package let keyring: SecretBytes
  /// 32 random bytes.
  package let device: SecretBytes

  package init(keyring: consuming SecretBytes, device: consuming SecretBytes) {
    self.keyring = keyring
    self.device = device
  }

  /// The parts of a new key.
  package convenience init() throws(StoreError) {
    do {
      self.init(keyring: try .random(count: 32), device: try .random(count: 32))
    } catch { throw .crypto }
  }

  /// The group's key.
  package func key(of group: [UInt8]) throws(StoreError) -> SecretBytes {
    try Self.derive(keyring, device, group: group, purpose: "group-key")
  }

  /// A key that is derived from the keyring's part of a former generation. A rotation keeps it, and
  /// not the part, to wrap the present keyring part.
  static func bridgePart(
    of keyring: borrowing SecretBytes, group: [UInt8]
  ) throws(StoreError) -> SecretBytes {
    try Format.derive(keyring, group: group, purpose: "bridge-part", version: 2)
  }

  /// The key that wraps the present keyring part for a keyring that has lost it, and that still has
  /// the part to which `bridgePart` belongs.
  static func bridgeKey(
    _ bridgePart: borrowing SecretBytes, device: borrowing SecretBytes, group: [UInt8]
  ) throws(StoreError) -> SealingKey {
    let key = try derive(bridgePart, device, group: group, purpose: "bridge")
    do { return try SealingKey(key) } catch { throw .crypto }
  }

  /// Derives a key from two secrets of 32 bytes, of which each is necessary.
  private static func derive(
    _ first: borrowing SecretBytes, _ second: borrowing SecretBytes, group: [UInt8],
    purpose: String
  ) throws(StoreError) -> SecretBytes {
    // With other sizes, the border between the two would be ambiguous.
    guard first.count == 32, second.count == 32 else { throw .wrongKey }
    var both: SecretBytes
    do { both = try SecretBytes(count: 64) } catch { throw .crypto }
    unsafe both.withUnsafeMutableBytes { both in
      unsafe first.withUnsafeBytes { unsafe both.copyMemory(from: $0) }
      unsafe second.withUnsafeBytes {
        unsafe UnsafeMutableRawBufferPointer(rebasing: both[32...]).copyMemory(from: $0)
      }
    }
    return try Format.derive(both, group: group, purpose: purpose, version: 2)
  }
}
