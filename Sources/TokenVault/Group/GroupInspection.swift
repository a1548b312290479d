import Glibc
package import TokenVaultGroupStore
package import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultSystem

/// Describes and checks a group.
package struct GroupInspection {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// Decrypts every row of the group and checks the rows against each other.
  /// - Parameter progress: Called after each account with the number of accounts so far, and of all.
  package func verify(
    progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(VaultError) -> VerificationReport {
    try session.read { transaction in
      let all = Int(clamping: transaction.state.accountCount)
      return try transaction.verify { progress($0, all) }
    }
  }

  /// The custody in the file's header. The group is not opened.
  package func custody() throws(VaultError) -> GroupHeader.Custody { try header().custody }

  /// Whether the group has a recovery code. The group is not opened.
  package func hasRecoveryCode() throws(VaultError) -> Bool {
    try vaultErrors(group) {
      try LockedGroup(path: self.configuration.groupPath).slot(.recovery) != nil
    }
  }

  /// The group's manifest and header. The group is not opened.
  package func describe() throws(VaultError) -> GroupDescription {
    let manifest: Manifests.Found?
    do { manifest = try session.configuration.manifests.find(group) } catch .noManifest {
      manifest = nil
    }
    do {
      let header = try header()
      return GroupDescription(
        name: group, manifest: manifest, file: (header.custody, header.generation),
        devicePart: devicePart(header))
    } catch .noGroup {
      return GroupDescription(name: group, manifest: manifest, file: nil, devicePart: nil)
    }
  }

  private func devicePart(_ header: GroupHeader) -> (path: String, exists: Bool)? {
    guard header.custody == .secretService, !header.isOutdated else { return nil }
    let path = KeyPartStore(configuration).device.path(
      of: GroupKeyID(groupID: header.groupID, generation: header.generation))
    return (path, unsafe access(path, F_OK) == 0)
  }

  package func header() throws(VaultError) -> GroupHeader {
    try vaultErrors(group) {
      let locked = try LockedGroup(path: self.configuration.groupPath)
      return locked.header
    }
  }

  /// The findings of a diagnosis. It opens the group, which finishes unfinished sign-outs.
  package func diagnose() throws(VaultError) -> (pendingDeletions: Int, oldWrappedSuccessors: Bool)
  {
    let boot = try Boot.identifier()
    return try session.read {
      ($0.state.pendingDeletions.count, $0.hasDueDeletionChecks(boot: boot))
    }
  }

  /// Refuses a vault directory that other users may read or write.
  /// - Returns: Whether the directory exists.
  package func checkDirectory() throws(VaultError) -> Bool {
    do {
      try vaultErrors(group) {
        try FileSafety.checkDirectory(self.configuration.directory)
        try FileSafety.checkDirectory(self.configuration.groupsDirectory)
        try FileSafety.checkIsLocal(self.configuration.groupsDirectory)
      }
      return true
    } catch .noGroup { return false }
  }

  /// The encrypted copies that a killed restore left beside the group. That of a running one is in use.
  package func restoreCopies() -> [String] {
    let copies = StaleCopies(configuration)
    return [copies.restoreCopy, copies.restoreDraft].filter {
      unsafe access($0, F_OK) == 0 && !GroupBackup.isInUse($0)
    }
  }

  /// Removes these copies under the group's lock, which a restore has while it installs one. A draft of a creation stays, because it has a key.
  /// - Returns: The paths of the removed copies.
  package func removeRestoreCopies() -> [String] {
    let present = restoreCopies()
    guard !present.isEmpty else { return [] }
    bestEffort("a copy that cannot be removed is still there, and is reported") {
      try FileLock.hold(configuration.lockPath, waiting: 1_000) {
        for copy in restoreCopies() { try GroupCreation.remove(copy) }
      }
    }
    return present.filter { unsafe access($0, F_OK) != 0 }
  }

  /// Whether no manifest names the group.
  package func lacksManifest() throws(VaultError) -> Bool {
    do { _ = try configuration.manifests.find(group) } catch .noManifest { return true }
    return false
  }

  /// Writes a manifest for a group that has a file and no manifest, with the custody in its header.
  /// Only tokenvault is a member, and the device is private.
  /// - Returns: The path of the manifest; nil if the group has one, or if its key is in a key file,
  ///   whose path is not in the header.
  package func saveMissingManifest() throws(VaultError) -> String? {
    let custody: GroupManifest.Custody
    switch try header().custody {
    case .secretService: custody = .secretService
    case .passphrase: custody = .passphrase
    case .keyFile: return nil
    }
    guard try lacksManifest() else { return nil }
    return try configuration.manifests.save(GroupManifest(plain: group, custody: custody))
  }

  /// The state of the Secret Service, for a diagnosis. It never prompts.
  package func secretServiceStatus() -> SecretServiceStatus {
    SecretServiceCustodian(busAddress: configuration.sessionBusAddress, allowPrompt: false).status()
  }
}
