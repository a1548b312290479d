import Glibc
import TokenVaultGroupStore
import TokenVaultKeyCustody

/// Copies of a group's file that an interrupted creation or restore leaves. They are encrypted as
/// the group was at that time, and the next creation or restore removes them. A sign-out removes
/// them too: data that was erased from the group must not stay in a copy that a passphrase still
/// opens.
struct StaleCopies {
  private let configuration: VaultConfiguration

  init(_ configuration: VaultConfiguration) { self.configuration = configuration }

  /// A backup while it is checked.
  var restoreCopy: String { configuration.groupPath + ".restore" }
  /// A backup that is about to become the group's file. It is not a draft of a creation: an
  /// interrupted draft is removed together with its key, while this file has the group's key.
  var restoreDraft: String { configuration.groupPath + ".restored" }
  private var creationDraft: String { GroupCreation.draftPath(for: configuration.groupPath) }

  /// Removes every copy that can be removed, then throws the last error. The caller holds the
  /// group's lock.
  /// - Parameter header: The header of the group itself.
  /// - Returns: Whether there was any copy.
  func remove(of header: GroupHeader) throws -> Bool {
    var failure: (any Error)?
    var found = false
    do { found = try removeDraft(of: header) } catch { failure = error }
    for path in [restoreCopy, restoreDraft] {
      do { found = try !GroupCreation.remove(path).isEmpty || found } catch { failure = error }
    }
    if let failure { throw failure }
    return found
  }

  private func removeDraft(of header: GroupHeader) throws -> Bool {
    guard unsafe access(creationDraft, F_OK) == 0 else {
      return try !GroupCreation.remove(creationDraft).isEmpty
    }
    try discardDraft(sparing: header.groupID)
    return true
  }

  /// Removes the draft of an interrupted creation, and both parts of the key made for it.
  /// - Parameter group: The id of the group in force. Its key is kept if the draft is a second name
  ///   of the group's file, which a creation leaves if it is interrupted at its end.
  func discardDraft(sparing group: [UInt8]? = nil) throws {
    guard unsafe access(creationDraft, F_OK) == 0 else { return }
    do {
      let locked = try LockedGroup(path: creationDraft)
      let header = locked.header
      if header.custody == .secretService, header.groupID != group {
        try GroupCustody(configuration).parts.deleteAll(of: header.groupID)
      }
    } catch is StoreError {
      // The creation was interrupted before the draft had a header, and so before it had a key.
    }
    try GroupCreation.remove(creationDraft)
  }
}
