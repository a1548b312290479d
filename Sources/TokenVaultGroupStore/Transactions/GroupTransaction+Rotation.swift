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

  /// A key that does not open was damaged before the rotation; its row is unchanged.
  /// - Returns: the number of such keys.
  private func rewrapAccountKeys(under next: GroupKeys) throws(StoreError) -> Int {
    let query = try database.statement(
      "SELECT k.id, a.tag, k.key_id, k.wrapped FROM account_key k JOIN account a ON a.id = k.id")
    let change = try database.statement("UPDATE account_key SET wrapped = ? WHERE id = ?")
    defer { query.reset() }
    var unreadable = 0
    while try query.step() {
      let data = accountKeyData(tag: query.bytes(1), keyID: query.bytes(2))
      let accountKey: SecretBytes
      do { accountKey = try keys.wrap.openSecret(query.bytes(3), associatedData: data) } catch {
        guard error == .failed else { throw .crypto }
        unreadable += 1
        continue
      }
      let wrapped: [UInt8]
      do { wrapped = try next.wrap.seal(accountKey, associatedData: data) } catch { throw .crypto }
      change.reset()
      try change.bind(1, wrapped)
      try change.bind(2, query.int64(0))
      try change.run()
    }
    return unreadable
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
