package import TokenVaultGroupStore
package import TokenVaultKeyCustody
package import TokenVaultModel

/// Where a group's key is.
package typealias GroupCustodyKind = GroupHeader.Custody

/// What can be said of a group without opening it.
package struct GroupDescription: Sendable {
  package let name: GroupName
  /// Its manifest; nil when there is none.
  package let manifest: Manifests.Found?
  /// What its file's header says; nil when it has no file.
  package let file: (custody: GroupCustodyKind, generation: UInt64)?

  /// The custody in force: the file's, else the one it would be made with.
  package var custody: GroupCustodyKind? {
    file?.custody ?? manifest.map { GroupCustodyKind($0.manifest.custody) }
  }
}

extension GroupHeader.Custody {
  /// The word for people, JSON and options.
  package var word: String {
    switch self {
    case .secretService: "secret-service"
    case .passphrase: "passphrase"
    case .keyFile: "key-file"
    }
  }
}

extension VaultCore {
  /// Describes the group.
  package func describe() throws(VaultError) -> GroupDescription {
    let manifest: Manifests.Found?
    do { manifest = try manifests.find(group) } catch .noManifest { manifest = nil }
    do {
      let header = try header()
      return GroupDescription(
        name: group, manifest: manifest, file: (header.custody, header.generation))
    } catch .noGroup {
      return GroupDescription(name: group, manifest: manifest, file: nil)
    }
  }

  package var manifests: Manifests { Manifests(directories: configuration.manifestDirectories) }

  func header() throws(VaultError) -> GroupHeader {
    try vaultErrors(group) {
      let locked = try LockedGroup(path: self.configuration.groupPath)
      return locked.header
    }
  }

  /// What a diagnosis finds in a group. Unfinished sign-outs are finished by looking at it.
  package func diagnose() throws(VaultError) -> (pendingDeletions: Int, oldWrappedSuccessors: Bool)
  {
    let boot = try Boot.identifier()
    return try read { ($0.state.pendingDeletions.count, $0.hasDueDeletionChecks(boot: boot)) }
  }

  /// Refuses a vault directory that others may read or write.
  /// - Returns: whether it is there.
  package func checkDirectory() throws(VaultError) -> Bool {
    do {
      try vaultErrors(group) {
        try FileSafety.checkDirectory(self.configuration.directory)
        try FileSafety.checkDirectory(self.configuration.groupsDirectory)
      }
      return true
    } catch .noGroup { return false }
  }

  /// What a diagnosis sees of the Secret Service; never prompts.
  package func secretServiceStatus() -> SecretServiceStatus {
    SecretServiceCustodian(busAddress: configuration.sessionBusAddress, allowPrompt: false).status()
  }
}
