import Glibc
import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultKeyCustody
package import TokenVaultModel
import TokenVaultSystem

/// Creates a group.
package struct GroupSetup {
  private let session: GroupSession
  private var configuration: VaultConfiguration { session.configuration }
  private var group: GroupName { session.group }

  package init(_ session: GroupSession) { self.session = session }

  /// Creates the group with its manifest's custody if it has no file.
  /// - Returns: Whether the group was created.
  @discardableResult
  package func createIfMissing() throws(VaultError) -> Bool {
    do {
      try session.withGroup { _ in }
      return false
    } catch .noGroup {
      do {
        try create()
        return true
      } catch .groupExists {
        // Another process created it first.
        return false
      }
    }
  }

  /// Creates the group from a manifest, which is saved if it differs from the one in force. A key
  /// file that does not exist is created. A failed creation leaves nothing behind.
  /// - Parameter fill: Stores the first content of the group, before its file has its name.
  /// - Returns: The path of the key file that was created; nil if none was.
  package func create(
    from manifest: GroupManifest, filling fill: ((GroupTransaction) throws -> Void)? = nil
  ) throws(VaultError) -> String? {
    let present = try GroupInspection(session).describe()
    guard present.file == nil else { throw .groupExists(group) }
    let isChanged = manifest != present.manifest?.manifest
    let keyFile = try KeyFileCreation.createIfMissing(manifest.custody)
    do {
      if isChanged { try configuration.manifests.save(manifest) }
      try create(filling: fill)
    } catch {
      // A group that has its file needs its key file and its manifest, even if a later step failed.
      if unsafe access(configuration.groupPath, F_OK) != 0 {
        if isChanged { try putBack(present.manifest) }
        if let keyFile { KeyFileCreation.takeBack(keyFile) }
      }
      throw error
    }
    return keyFile
  }

  /// Restores the manifest that was in force before; nil for none.
  private func putBack(_ manifest: Manifests.Found?) throws(VaultError) {
    let own = configuration.manifestDirectories.first.map { $0 + "/\(group).json" }
    guard let manifest, manifest.path == own else {
      return try configuration.manifests.remove(group)
    }
    try configuration.manifests.save(manifest.manifest)
  }

  /// Creates the group. An existing file is never overwritten, even if its key is lost.
  package func create(
    filling fill: ((GroupTransaction) throws -> Void)? = nil
  ) throws(VaultError) {
    let manifest = try session.requireMembership()
    try vaultErrors(group) {
      try FileSafety.makeDirectory(self.configuration.groupsDirectory)
      try FileSafety.checkIsLocal(self.configuration.groupsDirectory)
      try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        let path = self.configuration.groupPath
        if unsafe access(path, F_OK) == 0 { throw StoreError.exists(path: path) }
        try StaleCopies(self.configuration).discardDraft()
        let header = GroupHeader(
          groupID: try RandomBytes.make(16), generation: 1,
          custody: GroupHeader.Custody(manifest.custody))
        try self.make(path, header: header, filling: fill)
      }
    }
  }

  private func make(
    _ path: String, header: GroupHeader, filling fill: ((GroupTransaction) throws -> Void)?
  ) throws {
    let custody = GroupCustody(configuration)
    if header.custody == .secretService {
      // A locked or missing keyring is reported before there is anything to undo.
      _ = try custody.parts.keyring.generations(of: header.groupID)
    }
    let key = try GenerationKey(for: header.custody, of: header.groupID)
    let draft: UnlockedGroup
    do { draft = try GroupCreation.draft(path, header: header, key: key) } catch {
      bestEffort("no keyring has the key yet, and the first error is the one to report") {
        try GroupCreation.remove(GroupCreation.draftPath(for: path))
      }
      throw error
    }
    do {
      if let parts = key.parts {
        try custody.parts.store(
          parts, as: GroupKeyID(groupID: header.groupID, generation: header.generation))
      } else {
        let material = try custody.slotMaterial(header.custody)
        try draft.write {
          try $0.setSlot(.custody, under: material.key, parameters: material.parameters)
        }
      }
      if let fill { try draft.write(fill) }
      guard try draft.truncateLog() else { throw StoreError.busy }
    } catch {
      // If the keyring does not respond and may have the key, the draft stays as a record of it.
      bestEffort("the first error is the one to report, and the next creation discards both") {
        try StaleCopies(configuration).discardDraft()
      }
      throw error
    }
    session.noteCreation(of: header.groupID, commits: draft.commits)
    try publish(consume draft, path)
  }

  private func publish(_ draft: consuming UnlockedGroup, _ path: String) throws {
    // SQLite removes the log when the last connection closes; only then is everything in the file.
    _ = consume draft
    try GroupCreation.publish(path)
  }
}
