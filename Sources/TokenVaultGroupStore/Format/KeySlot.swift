import TokenVaultCrypto

/// The group's key, sealed under a key that is derived from a passphrase, a key file or a recovery
/// code.
package struct KeySlot: Hashable, Sendable {
  /// One of the two slots of a group. The raw value is the slot's row id in the table `meta`.
  package enum Position: Int64, CaseIterable, Sendable {
    /// For the passphrase or the key file.
    case custody = 4
    /// For the recovery code.
    case recovery = 5
  }

  /// The public parameters of the key derivation.
  package struct Parameters: Hashable, Sendable {
    /// Random, 32 bytes.
    package var salt: [UInt8]
    /// scrypt's cost parameters (RFC 7914). All are 0 if the secret has full entropy, so that HKDF
    /// is enough.
    package var logN: UInt64
    package var r: UInt64
    package var p: UInt64
    /// The number of rotations since the slot was set. Each one replaced the slot's key by a key
    /// derived from it.
    package internal(set) var steps: UInt64 = 0

    package init(salt: [UInt8], logN: UInt64 = 0, r: UInt64 = 0, p: UInt64 = 0) {
      self.salt = salt
      self.logN = logN
      self.r = r
      self.p = p
    }

    /// Whether a program can have chosen these numbers. They are in the clear, and a changed one
    /// must not cost the time or memory that it stands for.
    fileprivate var isPlausible: Bool {
      guard steps <= Format.mostSlotSteps else { return false }
      if logN == 0 && r == 0 && p == 0 { return true }
      return (1...20).contains(logN) && (1...1024).contains(r) && (1...16).contains(p)
        && 128 * r << logN <= 1 << 30
    }
  }

  package var parameters: Parameters
  var sealedKey: [UInt8]
}

extension KeySlot {
  /// The slot key after the next rotation. The step cannot be undone.
  static func nextKey(
    after key: borrowing SecretBytes, group: [UInt8]
  ) throws(StoreError) -> SecretBytes {
    try Format.derive(key, group: group, purpose: "slot-step")
  }

  /// Seals the group's key `key` under the slot's key `encryptionKey`.
  static func seal(
    _ key: borrowing SecretBytes, under encryptionKey: borrowing SecretBytes,
    parameters: Parameters, group: [UInt8], position: Position
  ) throws(StoreError) -> KeySlot {
    var slot = KeySlot(parameters: parameters, sealedKey: [])
    do {
      slot.sealedKey = try SealingKey(encryptionKey).seal(
        key, associatedData: slot.associatedData(group: group, position: position))
    } catch { throw .crypto }
    return slot
  }

  func associatedData(group: [UInt8], position: Position) -> [UInt8] {
    var writer = ByteWriter()
    writer.signed(position.rawValue)
    writeParameters(into: &writer)
    return Format.associatedData(group: group, kind: .slot, row: writer.bytes)
  }

  private func writeParameters(into writer: inout ByteWriter) {
    writer.data(parameters.salt)
    for number in [parameters.logN, parameters.r, parameters.p, parameters.steps] {
      writer.number(number)
    }
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writeParameters(into: &writer)
    writer.data(sealedKey)
    return writer.bytes
  }

  init(encoded bytes: [UInt8]) throws(StoreError) {
    var reader = ByteReader(bytes)
    parameters = Parameters(
      salt: try reader.data(), logN: try reader.number(), r: try reader.number(),
      p: try reader.number())
    parameters.steps = try reader.number()
    guard parameters.isPlausible else { throw .damaged(rows: nil) }
    sealedKey = try reader.data()
    try reader.end()
  }
}
