package import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel

/// The state of a group, as far as it is known. Nothing is asked and nothing is unlocked for it if the
/// session's configuration allows no prompt and has no passphrase.
package struct GroupCondition: Sendable {
  /// Known of a group that opens.
  package struct Content: Sendable {
    package let accounts: Int
    /// Empty if it is damaged.
    package let history: GroupHistory
    package let isHistoryDamaged: Bool
    /// The files that were imported and still exist.
    package let importedFiles: [String]
  }

  /// Whether there is a recovery code; nil if the group has no file, or if it cannot be read.
  package let hasRecoveryCode: Bool?
  /// For how long the group stays unlocked; nil if its key is not in the kernel keyring.
  package let secondsUnlocked: UInt32?
  /// Nil if the group does not open, or has no file.
  package let content: Content?
  /// Why the group does not open; nil if it does, or has no file.
  package let failure: VaultError?
  /// Whether the group is locked; nil if it does not open for another reason.
  package var isLocked: Bool? {
    switch failure {
    case nil: false
    case .custody: true
    default: nil
    }
  }

  package init(_ session: GroupSession) {
    let configuration = session.configuration
    let file = Self.readable { try LockedGroup(path: configuration.groupPath).header }
    hasRecoveryCode = Self.readable {
      try LockedGroup(path: configuration.groupPath).slot(.recovery) != nil
    }
    secondsUnlocked = file.flatMap { header in
      Self.readable {
        try KernelKeyring.secondsLeft(
          GroupKeyID(groupID: header.groupID, generation: header.generation))
      } ?? nil
    }
    do {
      content = try session.read { transaction in
        let history = try transaction.soundHistory()
        return Content(
          accounts: Int(clamping: transaction.state.accountCount),
          history: history ?? GroupHistory(), isHistoryDamaged: history == nil,
          importedFiles: transaction.state.importedFiles.filter { !CacheFile.isGone($0) })
      }
      failure = nil
    } catch {
      content = nil
      if case .noGroup = error { failure = nil } else { failure = error }
    }
  }

  private static func readable<Value>(_ body: () throws -> Value) -> Value? {
    // absent is an answer: the failure to open the group has the reason.
    do { return try body() } catch { return nil }
  }
}
