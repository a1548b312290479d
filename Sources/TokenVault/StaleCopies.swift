import TokenVaultGroupStore
import Glibc

/// Copies of a group's file that a creation or restore leaves when it is cut short. They are sealed
/// as the group was then, and the next of its kind removes them; but what was erased from the group
/// must not stay in one that a passphrase still opens.
extension VaultCore {
  /// A backup on its way in, from wherever it lay.
  var restoreCopy: String { configuration.groupPath + ".restore" }
  /// A backup that becomes the group's file. Not a creation's draft: with one of those that was cut
  /// short goes its key, and this has the group's.
  var restoreDraft: String { configuration.groupPath + ".restored" }

  /// Removes them, each as far as it goes. The caller holds the group's lock.
  /// - Parameter header: the group's own.
  /// - Returns: whether there was any.
  func removeStaleCopies(of header: GroupHeader) throws -> Bool {
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
    let draft = GroupCreation.draftPath(for: configuration.groupPath)
    guard unsafe access(draft, F_OK) == 0 else { return try !GroupCreation.remove(draft).isEmpty }
    try discardDraft(of: configuration.groupPath, sparing: header.groupID)
    return true
  }
}
