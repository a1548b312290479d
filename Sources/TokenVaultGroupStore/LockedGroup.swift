import Glibc
import TokenVaultSystem
package import TokenVaultCrypto

/// An open group file whose key is not known yet. It tells what stands in the clear, gives the
/// sealed keys to whoever can open them, and is consumed by unlocking.
package struct LockedGroup: ~Copyable {
  package let path: String
  package let header: GroupHeader
  let database: Database

  /// A key slot: the group's key, sealed under a key made from a passphrase, key file or code.
  package struct Slot: Hashable, Sendable {
    package enum Place: Int64, Sendable {
      case custody = 4
      case recovery = 5
    }

    /// The public parameters of the derivation.
    package struct Parameters: Hashable, Sendable {
      /// Random, 32 bytes.
      package var salt: [UInt8]
      /// scrypt's cost parameters (RFC 7914); all 0 where the secret has full entropy and
      /// HKDF is enough.
      package var logN: UInt64
      package var r: UInt64
      package var p: UInt64
      /// Rotations since the slot was set; each has moved the slot's key one step on.
      package internal(set) var steps: UInt64 = 0

      package init(salt: [UInt8], logN: UInt64 = 0, r: UInt64 = 0, p: UInt64 = 0) {
        self.salt = salt
        self.logN = logN
        self.r = r
        self.p = p
      }
    }

    package var parameters: Parameters
    var sealedKey: [UInt8]
  }

  /// Opens the file at `path` after looking at its rights and those of its directory.
  package init(path: String, busyMilliseconds: Int32 = 10_000) throws(StoreError) {
    try FileSafety.checkDirectory(Self.directory(of: path))
    try FileSafety.checkFile(path)
    let database = try Database(path: path, busyMilliseconds: busyMilliseconds)
    database.keepLogFiles()
    try Self.checkIdentity(database, path: path)
    let header = try Self.readHeader(database)
    self.path = path
    self.database = database
    self.header = header
  }

  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func checkIdentity(_ database: Database, path: String) throws(StoreError) {
    let identity = try database.statement("PRAGMA application_id")
    guard try identity.step(), identity.int64(0) == Format.applicationID else {
      identity.reset()
      throw .notAGroupFile(path: path)
    }
    identity.reset()
    let version = try database.statement("PRAGMA user_version")
    guard try version.step() else { throw .damaged(rows: nil) }
    defer { version.reset() }
    guard version.int64(0) == Int64(Format.version) else {
      throw .unsupportedVersion(UInt32(truncatingIfNeeded: version.int64(0)))
    }
  }

  static func readHeader(_ database: Database) throws(StoreError) -> GroupHeader {
    guard let bytes = try database.meta(Format.Meta.header.rawValue) else {
      throw .damaged(rows: nil)
    }
    return try GroupHeader(bytes)
  }

  /// The slot at `place`; nil when the group has none there.
  package func slot(_ place: Slot.Place) throws(StoreError) -> Slot? {
    guard let bytes = try database.meta(place.rawValue) else { return nil }
    return try Slot(encoded: bytes)
  }

  /// Opens the slot with the key-encryption key that it was set with.
  /// - Throws: ``StoreError/wrongKey`` when it is not the slot's.
  package func open(
    _ slot: Slot, at place: Slot.Place, with key: borrowing SecretBytes
  ) throws(StoreError) -> SecretBytes {
    // Each step was a rotation: more of them than generations are nobody's writing.
    guard slot.parameters.steps < (try Self.readHeader(database).generation) else {
      throw .damaged(rows: nil)
    }
    var present: SecretBytes
    do { present = try key.clone() } catch { throw .crypto }
    for _ in 0..<slot.parameters.steps {
      present = try Slot.step(present, group: header.groupID)
    }
    do {
      return try SealingKey(present).openSecret(
        slot.sealedKey, associatedData: slot.associatedData(group: header.groupID, place: place))
    } catch { throw error == .failed ? .wrongKey : .crypto }
  }

  /// The generations that a wrapped successor key leads out of, oldest first.
  package func generationsWithSuccessor() throws(StoreError) -> [UInt64] {
    let query = try database.statement("SELECT id FROM meta WHERE id >= ? ORDER BY id")
    try query.bind(1, Format.firstWrappedSuccessor)
    var found: [UInt64] = []
    while try query.step() { found.append(UInt64(query.int64(0) - Format.firstWrappedSuccessor)) }
    return found
  }

  /// The key of the generation after `generation`, from that generation's key.
  package func unwrapSuccessor(
    from generation: UInt64, key: borrowing SecretBytes
  ) throws(StoreError) -> SecretBytes {
    let row = Format.firstWrappedSuccessor + Int64(generation)
    guard let sealed = try database.meta(row) else { throw .damaged(rows: nil) }
    do {
      return try Self.wrappingKey(key, group: header.groupID).openSecret(
        sealed,
        associatedData: SuccessorWrapping.associatedData(group: header.groupID, from: generation))
    } catch let error as CryptoError {
      throw error == .failed ? .wrongKey : .crypto
    } catch let error as StoreError {
      throw error
    } catch { throw .crypto }
  }

  static func wrappingKey(
    _ key: borrowing SecretBytes, group: [UInt8]
  ) throws(StoreError) -> SealingKey {
    let derived = try Format.derive(key, group: group, purpose: "wrap")
    do { return try SealingKey(derived) } catch { throw .crypto }
  }

  /// Opens the group with the key of its generation.
  /// - Throws: ``StoreError/wrongKey`` when the key is not that generation's;
  ///   ``StoreError/damaged(rows:)`` when it is, but the file's keys do not open with it.
  package consuming func unlock(_ key: consuming SecretBytes) throws(StoreError) -> UnlockedGroup {
    try UnlockedGroup(path: path, header: header, database: database, key: key)
  }
}

enum SuccessorWrapping {
  static func associatedData(group: [UInt8], from generation: UInt64) -> [UInt8] {
    var place = ByteWriter()
    place.number(generation)
    return Format.associatedData(group: group, kind: .wrappedSuccessor, row: place.bytes)
  }
}

extension LockedGroup.Slot {
  static func step(
    _ key: borrowing SecretBytes, group: [UInt8]
  ) throws(StoreError) -> SecretBytes {
    try Format.derive(key, group: group, purpose: "slot-step")
  }

  static func seal(
    _ key: borrowing SecretBytes, under encryptionKey: borrowing SecretBytes,
    parameters: Parameters, group: [UInt8], place: Place
  ) throws(StoreError) -> LockedGroup.Slot {
    var slot = LockedGroup.Slot(parameters: parameters, sealedKey: [])
    do {
      slot.sealedKey = try SealingKey(encryptionKey).seal(
        key, associatedData: slot.associatedData(group: group, place: place))
    } catch { throw .crypto }
    return slot
  }

  func associatedData(group: [UInt8], place: Place) -> [UInt8] {
    var writer = ByteWriter()
    writer.signed(place.rawValue)
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
    sealedKey = try reader.data()
    try reader.end()
  }
}

extension Database {
  func meta(_ id: Int64) throws(StoreError) -> [UInt8]? {
    let query = try statement("SELECT value FROM meta WHERE id = ?")
    try query.bind(1, id)
    guard try query.step() else { return nil }
    defer { query.reset() }
    return query.bytes(0)
  }

  func setMeta(_ id: Int64, _ value: [UInt8]) throws(StoreError) {
    let change = try statement("INSERT OR REPLACE INTO meta(id, value) VALUES(?, ?)")
    try change.bind(1, id)
    try change.bind(2, value)
    try change.run()
  }

  func removeMeta(_ id: Int64) throws(StoreError) {
    let change = try statement("DELETE FROM meta WHERE id = ?")
    try change.bind(1, id)
    try change.run()
  }
}

extension LockedGroup {
  /// Tells a key of this group and generation from others, without opening anything else.
  package struct KeyCheck: Sendable {
    let sealed: [UInt8]
    let group: [UInt8]

    /// Whether the key is the one.
    package func accepts(_ key: borrowing SecretBytes) -> Bool {
      do {
        _ = try LockedGroup.wrappingKey(key, group: group).open(
          sealed, associatedData: Format.associatedData(group: group, kind: .check))
        return true
      } catch { return false }
    }
  }

  /// The file's own check.
  package func keyCheck() throws(StoreError) -> KeyCheck {
    guard let sealed = try database.meta(Format.Meta.check.rawValue) else {
      throw .damaged(rows: nil)
    }
    return KeyCheck(sealed: sealed, group: header.groupID)
  }
}
