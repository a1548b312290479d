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

    package init(time: Timestamp, generation: UInt64, path: String) {
      self.time = time
      self.generation = generation
      self.path = path
    }
  }

  /// The last backup since the last renewal.
  package var backup: Backup?
  /// When the recovery code in force was made.
  package var recoveryCodeMade: Timestamp?

  package init() {}
}

extension GroupHistory {
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.number(1)
    writer.list(backup.map { [$0] } ?? []) { writer, backup in
      writer.signed(backup.time.epochSeconds)
      writer.number(backup.generation)
      writer.text(backup.path)
    }
    writer.list(recoveryCodeMade.map { [$0] } ?? []) { $0.signed($1.epochSeconds) }
    return writer.bytes
  }

  init(encoded bytes: [UInt8]) throws(StoreError) {
    var reader = ByteReader(bytes)
    guard try reader.number() == 1 else { throw .damaged(rows: nil) }
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
    try reader.end()
  }
}
