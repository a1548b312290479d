package import TokenVaultGroupStore
package import TokenVaultModel

/// Moves a group to a new key.
package struct Rekey {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// Moves the group to a new key and, if a custody is given, to that custody, and changes the
  /// manifest accordingly. A key file that does not exist is created. The recovery code becomes
  /// invalid together with the key that it was made for.
  ///
  /// The manifest of the new custody is staged before the key changes, and replaces the manifest in
  /// force afterwards. If the change is interrupted anywhere, the two manifests together name the
  /// key file that opens the group.
  /// - Returns: The reason why the former key may still exist somewhere; nil if it is gone. The
  ///   group has its new key in either case.
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
      // A commit that failed in a system call may still take effect, and then needs both files.
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

  /// Moves the group to a new key; the manifest is unchanged.
  /// - Parameters:
  ///   - custody: The custody of the new key; nil for the present one.
  ///   - keyFile: The key file to move to; nil for the one that opens groups.
  /// - Returns: As ``run(to:)``.
  package func changeKey(
    to custody: GroupHeader.Custody? = nil, keyFile: String? = nil
  ) throws(VaultError) -> VaultError? {
    // A group that does not open is reported before its lock is made.
    try session.withGroup { _ in }
    let left = try vaultErrors(group) {
      // First the lock, then the session: see GroupSession.
      try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        try self.session.withGroup { group in
          try GroupCustody(self.configuration).rekey(
            group, to: custody ?? group.header.custody, keyFile: keyFile)
        }
      }
    }
    do { try vaultErrors(group) { if let left { throw left } } } catch { return error }
    return nil
  }
}

extension VaultError {
  /// Whether the change may have taken effect despite the error.
  fileprivate var isInDoubt: Bool {
    if case .store(.io, _) = self { true } else { false }
  }
}
