extension GroupState {
  /// The encodings of a state. Files of format version 1 have the first two: the second is used if
  /// the group has a past that the first does not contain. The last one is used if the state has
  /// seals.
  private enum Encoding: UInt64 {
    case version1 = 1
    case version1WithPast = 2
    case version2 = 3
    case version2WithSeals = 4

    var hasSlotKeys: Bool { rawValue < Encoding.version2.rawValue }
    var hasPast: Bool { self != .version1 }
  }

  private func encoding(inVersion1 isVersion1: Bool) -> Encoding {
    guard isVersion1 else { return seals.isEmpty ? .version2 : .version2WithSeals }
    let isEvident =
      accountsEver == Self.evident(accountCount) && signedOutClients.isEmpty
      && importedFiles.isEmpty
    return isEvident ? .version1 : .version1WithPast
  }

  private static func evident(_ count: UInt64) -> UInt64 { min(count, 2) }

  /// - Parameter version: the format version of the file.
  func encoded(version: UInt32 = Format.version) -> [UInt8] {
    let encoding = encoding(inVersion1: version == 1)
    var writer = ByteWriter()
    writer.number(encoding.rawValue)
    writer.number(changes)
    writer.number(accountCount)
    if encoding.hasSlotKeys {
      writer.list(rows.words) { $0.number($1) }
    } else {
      root.encode(into: &writer)
    }
    writer.data(current ?? [])
    writer.list(principals.sorted { $0.key < $1.key }) { writer, principal in
      writer.text(principal.key)
      writer.data(principal.value.account ?? [])
      // In the place of the name of a signed-out account, which is no longer kept.
      if encoding.hasSlotKeys { writer.list([Principal]()) { _, _ in } }
    }
    writer.list(pendingDeletions) { $0.number($1) }
    writer.list(deletionChecks) { writer, check in
      writer.number(check.generation)
      writer.text(check.boot)
    }
    if encoding.hasSlotKeys {
      writer.list(slotKeys.sorted { $0.key < $1.key }) { writer, slot in
        writer.signed(slot.key)
        writer.data(slot.value)
      }
    }
    if encoding.hasPast {
      writer.number(accountsEver)
      writer.list(signedOutClients.sorted()) { $0.text($1) }
      writer.list(importedFiles) { $0.text($1) }
    }
    if encoding == .version2WithSeals {
      writer.list(seals.sorted { $0.key < $1.key }) { writer, seal in
        writer.signed(seal.key)
        writer.data(seal.value)
      }
    }
    return writer.bytes
  }

  init(encoded bytes: [UInt8]) throws(StoreError) {
    var reader = ByteReader(bytes)
    guard let encoding = Encoding(rawValue: try reader.number()) else {
      throw .damaged(rows: nil)
    }
    changes = try reader.number()
    accountCount = try reader.number()
    if encoding.hasSlotKeys {
      rows = try RowSum(words: try reader.list { reader throws(StoreError) in try reader.number() })
    } else {
      root = try RowTree.Root(from: &reader)
    }
    let current = try reader.data()
    self.current = current.isEmpty ? nil : current
    for (client, principal) in try reader.list({ reader throws(StoreError) in
      (try reader.text(), try Principal(from: &reader, hasName: encoding.hasSlotKeys))
    }) {
      principals[client] = principal
    }
    pendingDeletions = try reader.list { reader throws(StoreError) in try reader.number() }
    deletionChecks = try reader.list { reader throws(StoreError) in
      DeletionCheck(generation: try reader.number(), boot: try reader.text())
    }
    guard deletionChecks.allSatisfy({ $0.generation <= Format.largestGeneration }) else {
      throw .damaged(rows: nil)
    }
    if encoding.hasSlotKeys {
      for (slot, key) in try reader.list({ reader throws(StoreError) in
        (try reader.signed(), try reader.data())
      }) {
        slotKeys[slot] = key
      }
    }
    accountsEver = Self.evident(accountCount)
    if encoding.hasPast {
      accountsEver = try reader.number()
      signedOutClients = Set(
        try reader.list { reader throws(StoreError) in try reader.text() })
      importedFiles = try reader.list { reader throws(StoreError) in try reader.text() }
    }
    if encoding == .version2WithSeals {
      for (row, seal) in try reader.list({ reader throws(StoreError) in
        (try reader.signed(), try reader.data())
      }) {
        seals[row] = seal
      }
    }
    // Each state has exactly one encoding.
    guard self.encoding(inVersion1: encoding.hasSlotKeys) == encoding, accountsEver <= 2 else {
      throw .damaged(rows: nil)
    }
    try reader.end()
  }
}

extension RowTree.Root {
  fileprivate func encode(into writer: inout ByteWriter) {
    writer.number(UInt64(last))
    writer.number(UInt64(level))
    writer.data(node.bytes)
  }

  fileprivate init(from reader: inout ByteReader) throws(StoreError) {
    guard let last = Int64(exactly: try reader.number()),
      let level = Int(exactly: try reader.number()), level <= RowTree.highestLevel,
      last < 1 << (6 * (level + 1))
    else { throw .damaged(rows: nil) }
    self.init(last: last, level: level, node: try DigestNode(try reader.data()))
  }
}

extension GroupState.Principal {
  /// Programs used to keep the name of an account that was signed out on a shared device, and its
  /// tag. The next write drops the name, and the next rotation the tag.
  fileprivate init(from reader: inout ByteReader, hasName: Bool) throws(StoreError) {
    let account = try reader.data()
    if hasName {
      _ = try reader.list { reader throws(StoreError) in
        [try reader.text(), try reader.text(), try reader.text()]
      }
    }
    self.init(account: account.isEmpty ? nil : account)
  }
}
