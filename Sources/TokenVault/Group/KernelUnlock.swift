import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel

/// Keeps a group unlocked for a limited time, with its key in the kernel keyring.
package struct KernelUnlock {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// Keeps the group's key in the kernel keyring for this number of seconds.
  package func unlock(seconds: UInt32) throws(VaultError) {
    try session.withGroup { group in
      let id = GroupKeyID(groupID: group.header.groupID, generation: group.header.generation)
      try group.withKey { try KernelKeyring.keep($0, as: id, seconds: seconds) }
    }
  }

  /// Removes the group's key from the kernel keyring.
  /// - Returns: Whether the key was there.
  package func lock() throws(VaultError) -> Bool {
    try vaultErrors(group) {
      let header = try GroupInspection(self.session).header()
      return try KernelKeyring.forget(
        GroupKeyID(groupID: header.groupID, generation: header.generation))
    }
  }
}
