package import TokenVaultModel

/// Events in the life of a group that concern its user only.
package struct GroupHistory: Hashable, Sendable {
  /// A copy of the group's file.
  package struct Backup: Hashable, Sendable {
    package let time: Timestamp
    /// The generation of the group's key at that time.
    package let generation: UInt64
    /// The path of the copy.
    package let path: String
    /// The keys that open the copy for as long as the user keeps them; nil if they are not known.
    package let keys: Set<Key>?

    package init(time: Timestamp, generation: UInt64, path: String, keys: Set<Key>? = nil) {
      self.time = time
      self.generation = generation
      self.path = path
      self.keys = keys
    }
  }

  /// A key of the time of a backup, beside that of the Secret Service, which the next sign-out or
  /// renewal destroys.
  package enum Key: UInt64, Sendable, CaseIterable {
    case recoveryCode = 1
    case passphrase = 2
    case keyFile = 4
  }

  /// The last backup.
  package var backup: Backup?
  /// When the recovery code in force was made.
  package var recoveryCodeMade: Timestamp?

  package init() {}
}

extension GroupHistory {
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    let keys = backup?.keys
    writer.number(keys == nil ? 1 : 2)
    writer.list(backup.map { [$0] } ?? []) { writer, backup in
      writer.signed(backup.time.epochSeconds)
      writer.number(backup.generation)
      writer.text(backup.path)
    }
    writer.list(recoveryCodeMade.map { [$0] } ?? []) { $0.signed($1.epochSeconds) }
    if let keys { writer.number(keys.reduce(0) { $0 | $1.rawValue }) }
    return writer.bytes
  }

  init(encoded bytes: [UInt8]) throws(StoreError) {
    var reader = ByteReader(bytes)
    let version = try reader.number()
    guard (1...2).contains(version) else { throw .damaged(rows: nil) }
    let backups = try reader.list { reader throws(StoreError) in
      Backup(
        time: Timestamp(epochSeconds: try reader.signed()), generation: try reader.number(),
        path: try reader.text())
    }
    let codes = try reader.list { reader throws(StoreError) in
      Timestamp(epochSeconds: try reader.signed())
    }
    guard backups.count <= 1, codes.count <= 1 else { throw .damaged(rows: nil) }
    (backup, recoveryCodeMade) = (backups.first, codes.first)
    if version == 2 {
      let bits = try reader.number()
      guard bits < 8, let known = backup else { throw .damaged(rows: nil) }
      backup = Backup(
        time: known.time, generation: known.generation, path: known.path,
        keys: Set(Key.allCases.filter { bits & $0.rawValue != 0 }))
    }
    try reader.end()
  }
}
