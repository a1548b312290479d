package import TokenVaultGroupStore
package import TokenVaultModel

/// Moves a group to a fresh key.
package struct Rekey {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// Moves the group to a fresh key, and to another custody where one is named, together with its
  /// manifest. A key file that does not exist is created. The recovery code ends with the key it was
  /// made for.
  ///
  /// The manifest of the new custody is staged before the key changes, and replaces the manifest in
  /// force afterwards: interrupted anywhere, the two together name the key file that opens the group.
  /// - Returns: why the former key may still be somewhere; nil when it is gone. The group has its
  ///   new key in either case.
  package func run(to custody: GroupManifest.Custody? = nil) throws(VaultError) -> VaultError? {
    let manifests = configuration.manifests
    let before = try GroupInspection(session).describe().manifest?.manifest
    var after = before
    if let custody { after?.custody = custody }
    let next = after == before ? nil : after
    var keyFile: String?
    if case .keyFile(let path)? = custody { keyFile = path }
    var created: String?
    if let custody { created = try KeyFileCreation.createIfMissing(custody) }
    let left: VaultError?
    do throws(VaultError) {
      if let next { try manifests.stage(next) }
      left = try changeKey(to: custody.map(GroupHeader.Custody.init), keyFile: keyFile)
    } catch {
      // A commit that failed in a system call may still come back, and then needs both.
      if !error.isInDoubt {
        if next != nil { try manifests.unstage(group) }
        if let created { KeyFileCreation.takeBack(created) }
      }
      throw error
    }
    if let next { try manifests.save(next) }
    try manifests.unstage(group)
    return left
  }

  /// Moves the group to a fresh key; the manifest is unchanged.
  /// - Parameter keyFile: the key file to move to; nil for the one that opens groups.
  /// - Returns: as ``run(to:)``.
  package func changeKey(
    to custody: GroupHeader.Custody? = nil, keyFile: String? = nil
  ) throws(VaultError) -> VaultError? {
    let left = try session.withGroup { group in
      try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        try GroupCustody(self.configuration).rekey(
          group, to: custody ?? group.header.custody, keyFile: keyFile)
      }
    }
    do { try vaultErrors(group) { if let left { throw left } } } catch { return error }
    return nil
  }
}

extension VaultError {
  /// Whether a change may be in force in spite of the error.
  fileprivate var isInDoubt: Bool {
    if case .store(.io, _) = self { true } else { false }
  }
}
