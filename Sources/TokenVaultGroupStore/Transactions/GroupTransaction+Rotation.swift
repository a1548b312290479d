package import TokenVaultCrypto

extension GroupTransaction {
  /// Moves the group to the next generation, under `key`, and erases accounts.
  ///
  /// The lookup key and the remaining account keys are wrapped under the new key. The keys of the
  /// erased accounts are not, so no remaining key opens a copy of those accounts.
  /// - Parameters:
  ///   - key: K(g+1). Its custodian already holds it.
  ///   - boot: the id of the running boot.
  ///   - wrapsSuccessorKey: whether to store the new key wrapped under the current one; false if
  ///     the new key is in a slot of the file.
  ///   - deletesOldKey: whether the Secret Service holds the current key, which the caller deletes
  ///     after the commit.
  package func rotate(
    to key: borrowing SecretBytes, erasing accounts: [StoredAccount], boot: String,
    wrapsSuccessorKey: Bool, deletesOldKey: Bool
  ) throws(StoreError) -> RotationReport {
    for account in accounts { try delete(account) }
    try forgetMissingPrincipals()
    let old = keys
    var next = header
    next.generation += 1
    let nextKeys: GroupKeys
    do {
      nextKeys = try GroupKeys(
        key: try key.clone(), lookup: try keys.lookup.clone(), group: header.groupID)
    } catch let error as StoreError { throw error } catch { throw .crypto }
    let unreadable = try rewrapAccountKeys(under: nextKeys)
    try nextKeys.write(to: database, header: next)
    try resealExtras(from: old, to: nextKeys)
    try resealSlots(for: key)
    if wrapsSuccessorKey {
      try wrapSuccessorKey(key, boot: boot)
    } else {
      try removeWrappedSuccessorKeys()
    }
    if deletesOldKey {
      state.pendingDeletions.append(header.generation)
      scheduleDeletionCheck(of: header.generation, boot: boot)
    }
    rotated = (next, nextKeys)
    return RotationReport(erased: accounts.count, unreadable: unreadable)
  }

  private func wrapSuccessorKey(_ key: borrowing SecretBytes, boot: String) throws(StoreError) {
    let wrapped: [UInt8]
    do {
      wrapped = try keys.wrap.seal(
        key, associatedData: header.wrappedSuccessorKeyData(of: header.generation))
    } catch { throw .crypto }
    try database.setMeta(Format.wrappedSuccessorKeyRow(header.generation), wrapped)
    state.deletionChecks.append(
      GroupState.DeletionCheck(generation: header.generation, boot: boot))
  }

  /// The keyring holds no later key, so no key has to lead to one. The deletion checks remain.
  private func removeWrappedSuccessorKeys() throws(StoreError) {
    for check in state.deletionChecks {
      try database.removeMeta(Format.wrappedSuccessorKeyRow(check.generation))
    }
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
    let (row, data) = (Format.Meta.extras.rawValue, header.associatedData(.extras))
    guard let sealed = try database.meta(row) else { return }
    let extras: [UInt8]
    do { extras = try old.wrap.openRow(sealed, data) } catch {
      // As with account keys, existing damage stays and does not prevent an erasure.
      guard case .damaged = error else { throw error }
      return
    }
    try database.setMeta(row, try next.wrap.sealRow(extras, data))
  }

  /// Seals the new key in each slot. The state holds the slots' keys, so this needs no passphrase.
  /// Each slot's key is replaced by its next key. That cannot be undone, so the keys in the group
  /// afterwards do not open the slots in an older copy.
  private func resealSlots(for key: borrowing SecretBytes) throws(StoreError) {
    for position in KeySlot.Position.allCases {
      guard let slotKey = state.slotKeys[position.rawValue],
        let bytes = try database.meta(position.rawValue)
      else { continue }
      let present: SecretBytes
      do { present = try SecretBytes(copying: slotKey) } catch { throw .crypto }
      var parameters = try KeySlot(encoded: bytes).parameters
      parameters.steps += 1
      try fillSlot(
        position, with: key, under: try KeySlot.nextKey(after: present, group: header.groupID),
        parameters: parameters)
    }
  }
}
