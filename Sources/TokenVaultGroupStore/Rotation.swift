package import TokenVaultCrypto

extension GroupTransaction {
  /// How the rotation came out.
  package struct RotationReport: Equatable, Sendable {
    /// Accounts whose rows and key are gone.
    package var erased = 0
    /// Accounts that could not be read before either, and stay as they were.
    package var unreadable = 0

    package init(erased: Int = 0, unreadable: Int = 0) {
      self.erased = erased
      self.unreadable = unreadable
    }
  }

  /// Moves the group to the next generation under `key`, erasing accounts on the way.
  ///
  /// The account keys that stay and the lookup key are wrapped under the new key; those of the
  /// erased accounts are not, so no key that is left opens a copy of them.
  /// - Parameters:
  ///   - key: K(g+1), which its custodian already holds.
  ///   - boot: the boot's id.
  ///   - keepsWrappedSuccessor: whether a wrapped successor key leads from the present key to the new one; false when the
  ///     new key stands in a slot of the file itself.
  ///   - deletesOldKey: whether the Secret Service holds the present key.
  package func rotate(
    to key: borrowing SecretBytes, erasing accounts: [StoredAccount], boot: String,
    keepsWrappedSuccessor: Bool, deletesOldKey: Bool
  ) throws(StoreError) -> RotationReport {
    for account in accounts { try delete(account) }
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
    if keepsWrappedSuccessor {
      try keepWrappedSuccessor(to: key, boot: boot)
    } else {
      try dropWrappedSuccessors()
    }
    if deletesOldKey {
      state.pendingDeletions.append(header.generation)
      watch(header.generation, boot: boot)
    }
    rotated = (next, nextKeys)
    return RotationReport(erased: accounts.count, unreadable: unreadable)
  }

  /// Notes that the custodian was seen without the keys of these generations.
  package func confirmDeletion(of generations: [UInt64]) {
    state.pendingDeletions.removeAll { generations.contains($0) }
  }

  /// Whether a deletion is noted that a power cut may undo.
  package var hasWrappedSuccessors: Bool { !state.wrappedSuccessors.isEmpty }

  /// Whether one is noted of another boot than `boot`: what the keyring has of it now is what its
  /// disk has.
  package func hasOldWrappedSuccessors(boot: String) -> Bool {
    state.wrappedSuccessors.contains { $0.boot != boot }
  }

  /// Drops the notes and wrapped successor keys of other boots. Only for who has seen in `boot` which keys the
  /// keyring has, and where it is to have the present one, has read that there.
  /// - Parameter generation: the newest key that was still there and is deleted now, which the
  ///   next power cut may undo again; nil for none.
  package func dropOldWrappedSuccessors(boot: String, deleted generation: UInt64?)
    throws(StoreError)
  {
    for wrappedSuccessor in state.wrappedSuccessors where wrappedSuccessor.boot != boot {
      try database.removeMeta(Format.firstWrappedSuccessor + Int64(wrappedSuccessor.generation))
    }
    state.wrappedSuccessors.removeAll { $0.boot != boot }
    if let generation { watch(generation, boot: boot) }
  }

  /// Puts the look for keys that a power cut brought back off to the next boot.
  package func postponeLook(boot: String) {
    for index in state.wrappedSuccessors.indices { state.wrappedSuccessors[index].boot = boot }
  }

  /// Has a later boot look once more whether the keys up to `generation` are gone.
  private func watch(_ generation: UInt64, boot: String) {
    guard !state.wrappedSuccessors.contains(where: { $0.boot == boot }) else { return }
    state.wrappedSuccessors.append(GroupState.WrappedSuccessor(generation: generation, boot: boot))
  }

  /// Nothing is to be bridged any more. What they say of deletions stays.
  private func dropWrappedSuccessors() throws(StoreError) {
    for wrappedSuccessor in state.wrappedSuccessors {
      try database.removeMeta(Format.firstWrappedSuccessor + Int64(wrappedSuccessor.generation))
    }
  }

  /// Lets the wrapped successor keys stand as if they were made in `boot`, and notes the keys of `generations` as
  /// to be deleted: for who stores the present key anew, which a power cut may take back again.
  package func renewWrappedSuccessors(boot: String, deleting generations: [UInt64]) {
    for index in state.wrappedSuccessors.indices { state.wrappedSuccessors[index].boot = boot }
    state.pendingDeletions = Set(state.pendingDeletions).union(generations).sorted()
  }

  private func keepWrappedSuccessor(to key: borrowing SecretBytes, boot: String) throws(StoreError)
  {
    let wrappedSuccessor: [UInt8]
    do {
      wrappedSuccessor = try keys.wrap.seal(
        key,
        associatedData: SuccessorWrapping.associatedData(
          group: header.groupID, from: header.generation))
    } catch { throw .crypto }
    try database.setMeta(Format.firstWrappedSuccessor + Int64(header.generation), wrappedSuccessor)
    state.wrappedSuccessors.append(
      GroupState.WrappedSuccessor(generation: header.generation, boot: boot))
  }

  /// A key that does not open is damage that was there before: its row stays as it is.
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
    do { extras = try old.wrap.opened(sealed, data) } catch {
      // As with account keys: damage stays as it is, and does not stand in the way of an erasure.
      guard case .damaged = error else { throw error }
      return
    }
    try database.setMeta(row, try next.wrap.sealed(extras, data))
  }

  /// The state keeps each slot's key, so that no passphrase is asked for here. It is moved one
  /// step on, which cannot be undone: what the group holds then opens no older copy's slot.
  private func resealSlots(for key: borrowing SecretBytes) throws(StoreError) {
    for place in [LockedGroup.Slot.Place.custody, .recovery] {
      guard let slotKey = state.slotKeys[place.rawValue],
        let bytes = try database.meta(place.rawValue)
      else { continue }
      let present: SecretBytes
      do { present = try SecretBytes(copying: slotKey) } catch { throw .crypto }
      var parameters = try LockedGroup.Slot(encoded: bytes).parameters
      parameters.steps += 1
      try fill(
        place, with: key, under: try LockedGroup.Slot.step(present, group: header.groupID),
        parameters: parameters)
    }
  }
}

extension GroupTransaction {
  /// Seals the group's key into a slot, in the place of the one that stood there.
  package func setSlot(
    _ place: LockedGroup.Slot.Place, under encryptionKey: borrowing SecretBytes,
    parameters: LockedGroup.Slot.Parameters
  ) throws(StoreError) {
    try fill(place, with: keys.key, under: encryptionKey, parameters: parameters)
  }

  private func fill(
    _ place: LockedGroup.Slot.Place, with key: borrowing SecretBytes,
    under encryptionKey: borrowing SecretBytes, parameters: LockedGroup.Slot.Parameters
  ) throws(StoreError) {
    let slot = try LockedGroup.Slot.seal(
      key, under: encryptionKey, parameters: parameters, group: header.groupID, place: place)
    try database.setMeta(place.rawValue, slot.encoded())
    state.slotKeys[place.rawValue] = unsafe encryptionKey.withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// Removes a slot.
  package func removeSlot(_ place: LockedGroup.Slot.Place) throws(StoreError) {
    try database.removeMeta(place.rawValue)
    state.slotKeys[place.rawValue] = nil
  }

  /// Whether a slot stands at `place`.
  package func hasSlot(_ place: LockedGroup.Slot.Place) -> Bool {
    state.slotKeys[place.rawValue] != nil
  }

  /// Changes the custody that the header names, within a rotation.
  package func setCustody(_ custody: GroupHeader.Custody) throws(StoreError) {
    guard var next = rotated else { throw .damaged(rows: nil) }
    next.header.custody = custody
    try next.keys.write(to: database, header: next.header)
    rotated = next
  }
}
