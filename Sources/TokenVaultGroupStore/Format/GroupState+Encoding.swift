extension GroupState {
  /// - Parameter version: the format version of the file. Version 1 has the slot keys here.
  func encoded(version: UInt32 = Format.version) -> [UInt8] {
    var writer = ByteWriter()
    writer.number(UInt64(version))
    writer.number(changes)
    writer.number(accountCount)
    writer.list(rows.words) { $0.number($1) }
    writer.data(current ?? [])
    writer.list(principals.sorted { $0.key < $1.key }) { writer, principal in
      writer.text(principal.key)
      writer.data(principal.value.account)
      writer.list(principal.value.previousAccount.map { [$0] } ?? []) { writer, previous in
        writer.text(previous.homeAccountID)
        writer.text(previous.environment)
        writer.text(previous.username)
      }
    }
    writer.list(pendingDeletions) { $0.number($1) }
    writer.list(deletionChecks) { writer, check in
      writer.number(check.generation)
      writer.text(check.boot)
    }
    guard version == 1 else { return writer.bytes }
    writer.list(slotKeys.sorted { $0.key < $1.key }) { writer, slot in
      writer.signed(slot.key)
      writer.data(slot.value)
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
      (
        try reader.text(),
        Principal(
          account: try reader.data(),
          previousAccount: try reader.list { reader throws(StoreError) in
            PreviousAccount(
              homeAccountID: try reader.text(), environment: try reader.text(),
              username: try reader.text())
          }.first)
      )
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
    if version == 1 {
      for (slot, key) in try reader.list({ reader throws(StoreError) in
        (try reader.signed(), try reader.data())
      }) {
        slotKeys[slot] = key
      }
    }
    try reader.end()
  }
}
