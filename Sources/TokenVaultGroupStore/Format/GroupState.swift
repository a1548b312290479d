import TokenVaultModel

/// The state of the group as a whole, in one small sealed row that each change rewrites.
package struct GroupState: Hashable, Sendable {
  /// The account last returned to a client as the current one (MSAL's principal account).
  package struct Principal: Hashable, Sendable {
    /// The account's tag; nil once the account is erased. Nothing else of it is kept.
    package var account: [UInt8]?

    package init(account: [UInt8]?) { self.account = account }
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
  /// The number of accounts that the group ever had, at most 2. It records no more than whether
  /// there was ever a choice between accounts.
  var accountsEver: UInt64 = 0
  /// The root of the tree of digests over the account rows.
  var root = RowTree.Root()
  /// In a file of format version 1, the sum over all account rows.
  var rows = RowSum()
  /// The tag of the current account, or nil.
  package var current: [UInt8]?
  /// By folded client id. The empty one is no client: it has the account that was the group's
  /// current one before.
  package var principals: [String: Principal] = [:]
  /// Generations whose key may still be in the Secret Service.
  package internal(set) var pendingDeletions: [UInt64] = []
  /// The deletions that a later boot has to check.
  var deletionChecks: [DeletionCheck] = []
  /// In a file of format version 1, the keys of the key slots, by row id. Version 2 has them among
  /// the ``RotationKeys``, which are not opened to read an account.
  var slotKeys: [Int64: [UInt8]] = [:]

  /// The clients, folded, whose sign-out erased an account: their next sign-in requests the password
  /// again. No account is recorded.
  package var signedOutClients: Set<String> = []

  /// The paths of the files that were imported; a sign-out looks into them.
  package var importedFiles: [String] = []

  /// The GCM tags of rows of `meta` that are in no digest, by row id: they distinguish each from its
  /// older versions. Files of format version 1, and rows that an earlier program wrote, have none.
  var seals: [Int64: [UInt8]] = [:]

  /// Whether the group ever had more than one account. If it never had, its account needs no
  /// choice.
  package var hadSeveralAccounts: Bool { accountsEver > 1 }

  /// The tag of the account that was the current one before; nil if there is none.
  package var previous: [UInt8]? { principals[""]?.account }

  /// Makes an account the current one, and keeps which one it was before.
  package mutating func makeCurrent(_ account: [UInt8]) {
    if let current, current != account {
      principals[""] = Principal(account: current)
    } else if previous == account {
      // The former current account was signed out, and this one takes its place.
      principals[""] = nil
    }
    current = account
  }

  /// Keeps only that the account was erased, for the clients to which it was returned.
  mutating func forgetPrincipal(_ account: [UInt8]) {
    for (client, principal) in principals where principal.account == account {
      principals[client]?.account = nil
    }
  }
}
