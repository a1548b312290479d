import TokenVaultCrypto

/// The cleartext header of a group file. It can be read without a key.
package struct GroupHeader: Hashable, Sendable {
  /// The custody of the group's key.
  package enum Custody: UInt8, Sendable {
    case secretService = 1
    case passphrase = 2
    case keyFile = 3
  }

  /// Random, 16 bytes.
  package let groupID: [UInt8]
  /// The generation of the group's key; 1 in a new group.
  package var generation: UInt64
  package var custody: Custody
  /// The file's format version.
  package internal(set) var version = Format.version
  /// Whether an earlier program wrote the file, in a format that the next write replaces.
  package var isOutdated: Bool { version < Format.version }

  /// "TKVT", version, group id, generation, custody, and their SHA-256.
  ///
  /// The digest detects flipped bits, not forgery. Forgery is detected because the lookup key's
  /// associated data contains these bytes.
  func encoded() throws(StoreError) -> [UInt8] {
    var bytes = Array("TKVT".utf8)
    bytes += version.bigEndianBytes
    bytes += groupID
    bytes += generation.bigEndianBytes
    bytes.append(custody.rawValue)
    do { return bytes + (try Digest.sha256(bytes)) } catch { throw .crypto }
  }

  package init(groupID: [UInt8], generation: UInt64 = 1, custody: Custody) {
    self.groupID = groupID
    self.generation = generation
    self.custody = custody
  }

  /// - Parameter announce: is passed the header before its digest is computed, because the first
  ///   digest of a process initialises libcrypto.
  init(_ bytes: [UInt8], announce: (GroupHeader) -> Void = { _ in }) throws(StoreError) {
    guard bytes.count >= 40, bytes.starts(with: "TKVT".utf8) else { throw .damaged(rows: nil) }
    let content = Array(bytes.dropLast(32))
    let header = Result { () throws(StoreError) in try GroupHeader(content: content) }
    if case .success(let header) = header { announce(header) }
    let digest: [UInt8]
    do { digest = try Digest.sha256(content) } catch { throw .crypto }
    guard digest == Array(bytes.suffix(32)) else { throw .damaged(rows: nil) }
    self = try header.get()
  }

  private init(content: [UInt8]) throws(StoreError) {
    version = content[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard Format.readableVersions.contains(version) else { throw .unsupportedVersion(version) }
    guard content.count == 33, let custody = Custody(rawValue: content[32]) else {
      throw .damaged(rows: nil)
    }
    groupID = Array(content[8..<24])
    generation = content[24..<32].reduce(0) { $0 << 8 | UInt64($1) }
    self.custody = custody
    // The digest proves nothing: anyone can compute it.
    guard (1...Format.largestGeneration).contains(generation) else { throw .damaged(rows: nil) }
  }
}

extension GroupHeader {
  /// The associated data of a row of this group.
  func associatedData(
    _ kind: Format.Kind, account: [UInt8] = [], row: [UInt8] = []
  ) -> [UInt8] {
    Format.associatedData(group: groupID, account: account, kind: kind, row: row)
  }

  /// The lookup key's associated data. It contains the header, so that no byte of the header can be
  /// changed.
  func lookupKeyData() throws(StoreError) -> [UInt8] {
    Format.associatedData(group: groupID, kind: .lookupKey, row: try encoded())
  }
}
