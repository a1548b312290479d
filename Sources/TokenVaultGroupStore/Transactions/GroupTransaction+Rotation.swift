import TokenVaultCrypto

extension GroupTransaction {
  /// Moves the group to the next generation, under `key`, and erases accounts.
  ///
  /// The lookup key and the remaining account keys are wrapped under the new key. The keys of the
  /// erased accounts are not, so no remaining key opens a copy of those accounts. A file of an
  /// earlier format version gets the present one.
  /// - Parameters:
  ///   - key: K(g+1). Its custodians already hold its parts, if it has parts.
  ///   - boot: the id of the running boot.
  ///   - deletesOldKey: whether the Secret Service holds the current key, which the caller deletes
  ///     after the commit.
  package func rotate(
    to key: GenerationKey, erasing accounts: [StoredAccount], boot: String, deletesOldKey: Bool
  ) throws(StoreError) -> RotationReport {
    for account in accounts { try delete(account) }
    try forgetMissingPrincipals()
    if header.isOutdated { try plantTree() }
    let old = keys
    let nextKeys: GroupKeys
    do {
      nextKeys = try GroupKeys(
        key: try key.key.clone(), lookup: try keys.lookup.clone(), group: header.groupID)
    } catch let error as StoreError { throw error } catch { throw .crypto }
    let unreadable = try rewrapAccountKeys(under: nextKeys)
    try resealExtras(from: old, to: nextKeys)
    try begin(nextKeys, with: key, boot: boot, deletesOldKey: deletesOldKey) {
      (rotationKeys) throws(StoreError) in
      try moveSlots(to: key.key, &rotationKeys)
    }
    return RotationReport(erased: accounts.count, unreadable: unreadable)
  }

  /// Begins the next generation: writes its header, the keys that every change of the group's key
  /// writes, and the deletions that it leaves to do. The rows of accounts and the extras are up to
  /// the caller.
  /// - Parameter changeSlots: seals the new key in the slots, or removes them.
  func begin(
    _ nextKeys: GroupKeys, with key: GenerationKey, boot: String, deletesOldKey: Bool,
    changeSlots: (inout RotationKeys) throws(StoreError) -> Void
  ) throws(StoreError) {
    var next = header
    next.generation += 1
    guard next.generation <= Format.largestGeneration else { throw .damaged(rows: nil) }
    if next.isOutdated {
      next.version = Format.version
      try database.execute("PRAGMA user_version=\(Format.version)")
    }
    var rotationKeys = try rotationKeys()
    try nextKeys.write(to: database, header: next)
    try changeSlots(&rotationKeys)
    try wrapSuccessorKeys(of: key, next: next, boot: boot, &rotationKeys)
    if deletesOldKey {
      state.pendingDeletions.append(header.generation)
      scheduleDeletionCheck(of: header.generation, boot: boot)
    }
    rotated = (next, nextKeys)
    try save(rotationKeys)
  }

  /// While some keys are wrapped, the former ones are written and the next are read.
  /// - Returns: the number of keys that do not open. They were damaged before the rotation; their rows
  ///   are unchanged.
  private func rewrapAccountKeys(under next: GroupKeys) throws(StoreError) -> Int {
    let tags = try accountTags()
    let rewrapping = KeyRewrapping(of: header, from: keys.wrap, to: next.wrap)
    var rewrapped = KeyRewrapping.Keys()
    var batch = try wrappedKeys(after: .min, tags)
    var unreadable = 0
    while let last = batch.last {
      var following = WrappedKeys()
      unreadable += batch.unreadable
      let keys = try rewrapping.rewrap(batch.keys) { () throws(StoreError) in
        try write(rewrapped)
        following = try wrappedKeys(after: last, tags)
      }
      unreadable += keys.failures.count
      (rewrapped, batch) = (keys, following)
    }
    try write(rewrapped)
    return unreadable
  }

  private func write(_ keys: KeyRewrapping.Keys) throws(StoreError) {
    let change = try database.statement("UPDATE account_key SET wrapped = ? WHERE id = ?")
    var failures = keys.failures[...]
    for (index, row) in keys.rows.enumerated() {
      guard failures.first != index else {
        failures.removeFirst()
        continue
      }
      try change.bind(1, keys.wrapped, KeyRewrapping.Keys.place(index))
      try change.bind(2, row)
      try change.run()
    }
  }

  private static let rowsAtOnce = 512

  private struct WrappedKeys {
    var keys = KeyRewrapping.Keys()
    /// The number of rows whose values have other sizes than they must have.
    var unreadable = 0
    /// The number of the last row; nil if there are no more.
    var last: Int64?
  }

  /// Some of the keys whose account has a row, in the order in which the file has them: in any other order,
  /// half of the time of a rotation would be spent on finding rows.
  private func wrappedKeys(
    after row: Int64, _ tags: AccountTags
  ) throws(StoreError) -> WrappedKeys {
    let query = try database.statement(
      "SELECT id, key_id, wrapped FROM account_key WHERE id > ? ORDER BY id LIMIT \(Self.rowsAtOnce)"
    )
    try query.bind(1, row)
    var found = WrappedKeys()
    while try query.step() {
      let id = query.int64(0)
      // In pages that refer to each other, the numbers start again and again.
      guard id > found.last ?? row else { throw .damaged(rows: nil) }
      found.last = id
      guard let place = tags.places[id] else { continue }
      guard let place, query.size(1) == KeyRewrapping.Keys.idSize,
        query.size(2) == SealingKey.wrappedKeySize
      else {
        found.unreadable += 1
        continue
      }
      found.keys.rows.append(id)
      found.keys.names += tags.bytes[place..<place + KeyRewrapping.Keys.tagSize]
      try query.append(1, to: &found.keys.names)
      try query.append(2, to: &found.keys.wrapped)
    }
    return found
  }

  /// The tags of all accounts, one after the other.
  private struct AccountTags {
    var bytes: [UInt8] = []
    /// Where the tag of each row begins; nil if it has another size than it must have.
    var places: [Int64: Int?] = [:]
  }

  /// The index of the file has the tags without the account records.
  private func accountTags() throws(StoreError) -> AccountTags {
    let query = try database.statement("SELECT id, tag FROM account")
    var tags = AccountTags()
    let count = Int(clamping: min(state.accountCount, 1 << 20))
    tags.places.reserveCapacity(count)
    tags.bytes.reserveCapacity(count * KeyRewrapping.Keys.tagSize)
    while try query.step() {
      let isWhole = query.size(1) == KeyRewrapping.Keys.tagSize
      tags.places[query.int64(0)] = .some(isWhole ? tags.bytes.count : nil)
      if isWhole { try query.append(1, to: &tags.bytes) }
    }
    return tags
  }

  private func resealExtras(
    from old: GroupKeys, to next: GroupKeys
  ) throws(StoreError) {
    let data = header.associatedData(.extras)
    let extras: [UInt8]
    do {
      guard let sealed = try sealed(.extras) else { return }
      extras = try old.wrap.openRow(sealed, data)
    } catch {
      // As with account keys, existing damage stays and does not prevent an erasure.
      guard case .damaged = error else { throw error }
      return
    }
    try setSealed(.extras, next.wrap.sealRow(extras, data))
  }
}
