import TokenVaultModel

/// The state of the group as a whole, in one small sealed row that each change rewrites.
package struct GroupState: Hashable, Sendable {
  /// The account last returned to a client as the current one (MSAL's principal account).
  package struct Principal: Hashable, Sendable {
    /// The account's tag.
    package var account: [UInt8]
    /// The identity of the account, while it is signed out and the client may still learn which
    /// account it was; nil once it is erased.
    package var previousAccount: PreviousAccount?

    package init(account: [UInt8], previousAccount: PreviousAccount? = nil) {
      self.account = account
      self.previousAccount = previousAccount
    }
  }

  /// The identity of an account that was signed out on a shared device.
  package struct PreviousAccount: Hashable, Sendable {
    package var homeAccountID: String
    package var environment: String
    package var username: String

    package init(homeAccountID: String, environment: String, username: String) {
      self.homeAccountID = homeAccountID
      self.environment = environment
      self.username = username
    }
  }

  /// A deletion from the keyring that a later boot has to check once more.
  ///
  /// The key of `generation` was deleted in the boot `boot`, and a power cut may undo that. Until
  /// the check, if the keyring is to hold the present key, the file has that key, too, wrapped for
  /// a keyring that has only the one of `generation`.
  struct DeletionCheck: Hashable, Sendable {
    var generation: UInt64
    var boot: String
  }

  /// The number of commits.
  package internal(set) var changes: UInt64 = 0
  package internal(set) var accountCount: UInt64 = 0
  /// The sum over all account rows.
  var rows = RowSum()
  /// The tag of the current account, or nil.
  package var current: [UInt8]?
  /// By folded client id.
  package var principals: [String: Principal] = [:]
  /// Generations whose key may still be in the Secret Service.
  package internal(set) var pendingDeletions: [UInt64] = []
  /// The deletions that a later boot has to check.
  var deletionChecks: [DeletionCheck] = []
  /// In a file of format version 1, the keys of the key slots, by row id. Version 2 has them among
  /// the ``RotationKeys``, which are not opened to read an account.
  var slotKeys: [Int64: [UInt8]] = [:]
}
