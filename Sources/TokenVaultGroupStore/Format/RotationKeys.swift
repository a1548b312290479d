import TokenVaultCrypto

/// The keys that only a change of the group's key needs: the keys of the slots, so that a rotation
/// needs no passphrase, and the bridge parts, with which it wraps the present key for a keyring
/// that has lost it. One sealed row has them all. No read opens that row, and its content is only
/// ever in locked memory.
///
/// The content is a sequence of entries of 41 bytes in ascending order: purpose (1), number (8,
/// big-endian), key (32).
struct RotationKeys: ~Copyable {
  /// The use of an entry's key, and the meaning of its number.
  enum Purpose: UInt8, CaseIterable {
    /// The key of the slot in the row `number` of the table `meta`.
    case slot = 1
    /// The bridge part of the generation `number`.
    case bridge = 2
  }

  private struct Place: Comparable {
    let purpose: UInt8
    let number: UInt64

    static func < (left: Place, right: Place) -> Bool {
      (left.purpose, left.number) < (right.purpose, right.number)
    }
  }

  private static let keySize = 32
  private static let entrySize = 9 + keySize

  private(set) var content: SecretBytes

  init() throws(StoreError) {
    do { content = try SecretBytes(count: 0) } catch { throw .crypto }
  }

  /// The entries in an opened row.
  init(_ content: consuming SecretBytes) throws(StoreError) {
    let places = Self.places(in: content)
    guard content.count.isMultiple(of: Self.entrySize),
      places.allSatisfy({
        Purpose(rawValue: $0.purpose) != nil && $0.number <= Format.largestGeneration
      }),
      zip(places, places.dropFirst()).allSatisfy(<)
    else { throw .damaged(rows: nil) }
    self.content = content
  }

  /// The numbers that have a key for this purpose, in ascending order.
  func numbers(_ purpose: Purpose) -> [UInt64] {
    places.filter { $0.purpose == purpose.rawValue }.map(\.number)
  }

  /// The key for this purpose and number; nil if there is none.
  func key(_ purpose: Purpose, _ number: UInt64) throws(StoreError) -> SecretBytes? {
    guard let index = places.firstIndex(of: Place(purpose: purpose.rawValue, number: number)) else {
      return nil
    }
    let start = index * Self.entrySize + 9
    do {
      return unsafe try content.withUnsafeBytes { (bytes) throws(CryptoError) in
        unsafe try SecretBytes(
          copying: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + Self.keySize)]))
      }
    } catch { throw .crypto }
  }

  /// Stores a key of 32 bytes, in place of the one that was there.
  mutating func set(
    _ purpose: Purpose, _ number: UInt64, to key: borrowing SecretBytes
  ) throws(StoreError) {
    guard key.count == Self.keySize else { throw .crypto }
    try remove(purpose, number)
    let place = Place(purpose: purpose.rawValue, number: number)
    let start = (places.firstIndex { place < $0 } ?? places.count) * Self.entrySize
    var grown = try resized(by: Self.entrySize, at: start)
    unsafe grown.withUnsafeMutableBytes { grown in
      unsafe grown[start] = purpose.rawValue
      unsafe grown.storeBytes(of: number.bigEndian, toByteOffset: start + 1, as: UInt64.self)
      unsafe key.withUnsafeBytes {
        unsafe UnsafeMutableRawBufferPointer(rebasing: grown[(start + 9)...]).copyMemory(from: $0)
      }
    }
    content = grown
  }

  mutating func remove(_ purpose: Purpose, _ number: UInt64) throws(StoreError) {
    let place = Place(purpose: purpose.rawValue, number: number)
    guard let index = places.firstIndex(of: place) else { return }
    content = try resized(by: -Self.entrySize, at: index * Self.entrySize)
  }

  mutating func removeAll(_ purpose: Purpose) throws(StoreError) {
    for number in numbers(purpose) { try remove(purpose, number) }
  }

  private var places: [Place] { Self.places(in: content) }

  private static func places(in content: borrowing SecretBytes) -> [Place] {
    unsafe content.withUnsafeBytes { bytes in
      stride(from: 0, through: bytes.count - entrySize, by: entrySize).map { start in
        Place(
          purpose: unsafe bytes[start],
          number: UInt64(
            bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: start + 1, as: UInt64.self)))
      }
    }
  }

  /// A copy of the content with a gap of `difference` bytes at `start`, or without as many bytes.
  private func resized(by difference: Int, at start: Int) throws(StoreError) -> SecretBytes {
    var result: SecretBytes
    do { result = try SecretBytes(count: content.count + difference) } catch { throw .crypto }
    unsafe content.withUnsafeBytes { old in
      unsafe result.withUnsafeMutableBytes { new in
        unsafe new.copyMemory(from: UnsafeRawBufferPointer(rebasing: old[..<start]))
        let rest = unsafe UnsafeRawBufferPointer(rebasing: old[(start - min(difference, 0))...])
        unsafe UnsafeMutableRawBufferPointer(rebasing: new[(start + max(difference, 0))...])
          .copyMemory(from: rest)
      }
    }
    return result
  }
}
