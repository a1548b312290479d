import Glibc
package import TokenVaultGroupStore
package import TokenVaultKeyCustody
import TokenVaultModel

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

  /// The state of the Secret Service, for a diagnosis. It never prompts.
  package func secretServiceStatus() -> SecretServiceStatus {
    SecretServiceCustodian(busAddress: configuration.sessionBusAddress, allowPrompt: false).status()
  }
}
