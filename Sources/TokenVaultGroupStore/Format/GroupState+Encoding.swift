extension GroupState {
  /// Version 2 adds the number of accounts that the group ever had, which may not be evident from
  /// the present number, and the clients that signed out and the imported files.
  private var version: UInt64 {
    accountsEver == Self.evident(accountCount) && signedOutClients.isEmpty && importedFiles.isEmpty
      ? 1 : 2
  }

  private static func evident(_ count: UInt64) -> UInt64 { min(count, 2) }

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.number(version)
    writer.number(changes)
    writer.number(accountCount)
    writer.list(rows.words) { $0.number($1) }
    writer.data(current ?? [])
    writer.list(principals.sorted { $0.key < $1.key }) { writer, principal in
      writer.text(principal.key)
      writer.data(principal.value.account ?? [])
      // In the place of the name of a signed-out account, which is no longer kept.
      writer.list([Principal]()) { _, _ in }
    }
    writer.list(pendingDeletions) { $0.number($1) }
    writer.list(deletionChecks) { writer, check in
      writer.number(check.generation)
      writer.text(check.boot)
    }
    writer.list(slotKeys.sorted { $0.key < $1.key }) { writer, slot in
      writer.signed(slot.key)
      writer.data(slot.value)
    }
    if version > 1 {
      writer.number(accountsEver)
      writer.list(signedOutClients.sorted()) { $0.text($1) }
      writer.list(importedFiles) { $0.text($1) }
    }
    return writer.bytes
  }

  init(encoded bytes: [UInt8]) throws(StoreError) {
    var reader = ByteReader(bytes)
    let version = try reader.number()
    guard (1...2).contains(version) else { throw .damaged(rows: nil) }
    changes = try reader.number()
    accountCount = try reader.number()
    rows = try RowSum(words: try reader.list { reader throws(StoreError) in try reader.number() })
    let current = try reader.data()
    self.current = current.isEmpty ? nil : current
    for (client, principal) in try reader.list({ reader throws(StoreError) in
      (try reader.text(), try Principal(from: &reader))
    }) {
      principals[client] = principal
    }
    pendingDeletions = try reader.list { reader throws(StoreError) in try reader.number() }
    deletionChecks = try reader.list { reader throws(StoreError) in
      DeletionCheck(generation: try reader.number(), boot: try reader.text())
    }
    for (slot, key) in try reader.list({ reader throws(StoreError) in
      (try reader.signed(), try reader.data())
    }) {
      slotKeys[slot] = key
    }
    accountsEver = version > 1 ? try reader.number() : Self.evident(accountCount)
    if version > 1 {
      signedOutClients = Set(
        try reader.list { reader throws(StoreError) in try reader.text() })
      importedFiles = try reader.list { reader throws(StoreError) in try reader.text() }
    }
    // Each state has exactly one encoding.
    guard self.version == version, accountsEver <= 2 else { throw .damaged(rows: nil) }
    try reader.end()
  }
}

extension GroupState.Principal {
  /// Programs used to keep the name of an account that was signed out on a shared device, and its
  /// tag. The next write drops the name, and the next rotation the tag.
  fileprivate init(from reader: inout ByteReader) throws(StoreError) {
    let account = try reader.data()
    _ = try reader.list { reader throws(StoreError) in
      [try reader.text(), try reader.text(), try reader.text()]
    }
    self.init(account: account.isEmpty ? nil : account)
  }
}
