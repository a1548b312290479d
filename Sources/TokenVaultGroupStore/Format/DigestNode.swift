/// The digests of up to 64 account rows, or of up to 64 nodes: a node of a ``RowTree``.
struct DigestNode: Hashable, Sendable {
  static let width = 64
  static let digestSize = 16
  private static let none = [UInt8](repeating: 0, count: digestSize)

  /// 16 bytes for each entry, all zeros if it has no digest. The last entry has one.
  private(set) var bytes: [UInt8] = []

  init() {}

  init(_ bytes: [UInt8]) throws(StoreError) {
    guard bytes.count % Self.digestSize == 0, bytes.count <= Self.width * Self.digestSize,
      bytes.isEmpty || !bytes.hasSuffix(Self.none)
    else { throw .damaged(rows: nil) }
    self.bytes = bytes
  }

  var isEmpty: Bool { bytes.isEmpty }
  /// The greatest entry with a digest. The node must not be empty.
  var lastEntry: Int { bytes.count / Self.digestSize - 1 }

  /// Whether an entry from 0 to 63 has a digest, and it is the beginning of this one. Like the digest of
  /// the entry, but without a copy of it: a listing compares one for each account.
  func has(_ digest: [UInt8], _ entry: Int) -> Bool {
    let start = entry * Self.digestSize
    guard start < bytes.count, digest.count >= Self.digestSize else { return false }
    var (bits, differences) = (UInt8(0), UInt8(0))
    for index in 0..<Self.digestSize {
      bits |= digest[index]
      differences |= digest[index] ^ bytes[start + index]
    }
    return bits != 0 && differences == 0
  }

  /// The digest of an entry from 0 to 63; nil if it has none.
  subscript(entry: Int) -> [UInt8]? {
    get {
      let start = entry * Self.digestSize
      guard start < bytes.count else { return nil }
      let digest = Array(bytes[start..<(start + Self.digestSize)])
      return digest == Self.none ? nil : digest
    }
    set {
      let start = entry * Self.digestSize
      while bytes.count <= start { bytes += Self.none }
      bytes.replaceSubrange(start..<(start + Self.digestSize), with: newValue ?? Self.none)
      while bytes.hasSuffix(Self.none) { bytes.removeLast(Self.digestSize) }
    }
  }
}

extension [UInt8] {
  fileprivate func hasSuffix(_ other: [UInt8]) -> Bool { suffix(other.count).elementsEqual(other) }
}
