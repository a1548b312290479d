import TokenVaultCrypto

extension GroupTransaction {
  /// Wraps the keyring's part of the next key for a keyring that loses it in a power cut: once for
  /// each former part that the keyring may still have instead. The present device part is needed to
  /// unwrap it, so a former keyring part alone opens nothing.
  ///
  /// If the keyring is not to have the next key, all wrapped keys are removed, and the deletion
  /// checks remain.
  func wrapSuccessorKeys(
    of key: GenerationKey, next: GroupHeader, boot: String, _ rotationKeys: inout RotationKeys
  ) throws(StoreError) {
    guard let parts = key.parts else {
      try rotationKeys.removeAll(.bridge)
      return try removeWrappedSuccessorKeys()
    }
    for generation in rotationKeys.numbers(.bridge) {
      guard let part = try rotationKeys.key(.bridge, generation) else { continue }
      let wrapping = try KeyParts.bridgeKey(part, device: parts.device, group: next.groupID)
      let wrapped: [UInt8]
      do {
        wrapped = try wrapping.seal(
          parts.keyring, associatedData: next.wrappedSuccessorKeyData(replacing: generation))
      } catch { throw .crypto }
      try database.setMeta(Format.wrappedSuccessorKeyRow(generation), wrapped)
      if !state.deletionChecks.contains(where: { $0.generation == generation }) {
        state.deletionChecks.append(GroupState.DeletionCheck(generation: generation, boot: boot))
      }
    }
    let part = try KeyParts.bridgePart(of: parts.keyring, group: next.groupID)
    try rotationKeys.set(.bridge, next.generation, to: part)
  }

  private func removeWrappedSuccessorKeys() throws(StoreError) {
    let removal = try database.statement("DELETE FROM meta WHERE id >= ?")
    try removal.bind(1, Format.firstWrappedSuccessorKeyRow)
    try removal.run()
  }

  /// Removes the key that is wrapped for a keyring with the key of one of these generations.
  func removeWrappedSuccessorKeys(of generations: [UInt64]) throws(StoreError) {
    guard !generations.isEmpty else { return }
    for generation in generations {
      try database.removeMeta(Format.wrappedSuccessorKeyRow(generation))
    }
    guard !header.isOutdated else { return }
    var rotationKeys = try rotationKeys()
    for generation in generations where generation < header.generation {
      try rotationKeys.remove(.bridge, generation)
    }
    try save(rotationKeys)
  }
}
