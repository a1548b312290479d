import TokenVaultCrypto

@testable import TokenVaultGroupStore

/// The decoders of what a group file contains, in the clear or sealed. An input's first byte selects
/// the decoder. A value that was decoded is encoded to bytes that mean the same.
enum Encodings {
  static func read(_ input: [UInt8]) {
    guard let kind = input.first else { return }
    do throws(StoreError) { try read(Array(input.dropFirst()), kind: kind) } catch {
      switch error {
      case .damaged, .unsupportedVersion: return
      default: preconditionFailure("\(error)")
      }
    }
  }

  private static func read(_ bytes: [UInt8], kind: UInt8) throws(StoreError) {
    switch kind {
    case UInt8(ascii: "a"):
      let record = try AccountRecord(encoded: bytes)
      let again = try AccountRecord(encoded: record.encoded())
      precondition(again == record)
    case UInt8(ascii: "s"):
      let state = try GroupState(encoded: bytes)
      let version: UInt32 = bytes.first.map { $0 < 3 } == true ? 1 : 2
      let again = try GroupState(encoded: state.encoded(version: version))
      precondition(again == state)
    case UInt8(ascii: "k"):
      let slot = try KeySlot(encoded: bytes)
      precondition(slot.encoded() == bytes)
    case UInt8(ascii: "h"):
      let header = try GroupHeader(bytes)
      let again = try header.encoded()
      precondition(again == bytes)
    case UInt8(ascii: "l"):
      let history = try GroupHistory(encoded: bytes)
      precondition(history.encoded() == bytes)
    case UInt8(ascii: "n"):
      let node = try DigestNode(bytes)
      precondition((0..<DigestNode.width).allSatisfy { node[$0]?.count ?? 16 == 16 })
    case UInt8(ascii: "p"):
      let plaintext = try Padding.unpad(bytes)
      precondition(plaintext.count <= bytes.count - 4)
    case UInt8(ascii: "r"): try rotationKeys(bytes)
    default: return
    }
  }

  private static func rotationKeys(_ bytes: [UInt8]) throws(StoreError) {
    let content: SecretBytes
    do { content = try SecretBytes(copying: bytes) } catch { throw .crypto }
    let keys = try RotationKeys(content)
    for purpose in RotationKeys.Purpose.allCases {
      for number in keys.numbers(purpose) {
        guard let key = try keys.key(purpose, number) else { preconditionFailure("no key") }
        let count = key.count
        precondition(count == 32)
      }
    }
  }
}
