import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSystem

/// Erases accounts from a group. It does not use the network.
///
/// The order of steps:
/// 1. One read resolves the accounts.
/// 2. The group's lock is taken, and stale copies of the group file are removed.
/// 3. ``Rotation`` begins to store the parts of a new group key.
/// 4. One transaction collects, in memory, the data that revocation needs, deletes the accounts'
///    rows and wraps the other account keys under the new key. When the parts are stored, the old key
///    is removed from the kernel keyring, and the transaction commits.
/// 5. The write-ahead log is emptied, and both parts of the old key are deleted; the deletion is
///    verified.
/// 6. Directory rules that name the accounts are removed, and the imported files are searched for
///    the accounts.
///
/// ``Revocation`` contacts the providers afterwards.
package struct Erasure {
  private let session: GroupSession
  private let progress: (_ done: Int, _ all: Int) -> Void
  private var lookup: AccountLookup { session.lookup }
  private var rules: AccountRules {
    AccountRules(vaultDirectory: session.configuration.directory)
  }

  /// - Parameter progress: Called after each account with the number of accounts so far, and of all.
  package init(
    _ session: GroupSession, progress: @escaping (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    self.session = session
    self.progress = progress
  }

  /// The accounts that a sign-out covers.
  package enum Scope {
    /// These accounts; an empty list erases nothing.
    case accounts([AccountReference])
    /// Every account of the group.
    case everything
  }

  /// The report of an erasure, and the data for revoking the erased tokens at their providers.
  package struct Result: Sendable {
    package let report: SignOutReport
    let targets: [RevocationTarget]
    /// Whether the next person uses the same browser.
    let isSharedDevice: Bool
  }

  /// Erases accounts, for one client or for all.
  ///
  /// An account whose last client signs out is erased as a whole, with its names and claims. When
  /// it returns, the accounts are gone from the file. An entry of the report that is not clean
  /// names a place where something is left; the next command tries again to delete it.
  /// - Parameters:
  ///   - scope: The accounts.
  ///   - client: The client to sign out; nil for every client.
  ///   - widens: Whether, on a shared device, a sign-out of one client is a sign-out of all.
  package func run(
    _ scope: Scope, client: String? = nil, widensOnSharedDevice widens: Bool = true
  ) throws(VaultError) -> Result {
    let isShared = try DeviceInformation(session.configuration).isShared
    let client = isShared && widens ? nil : client
    // If a sign-out was killed after it had erased the accounts, this one finds none, and so no rule to
    // remove.
    rules.removeLeftovers()
    // A name that matches no account is reported before the keyring is contacted.
    let (settled, isEmpty) = try session.read(precedesRotation: true) {
      try self.settled(scope, client, in: $0)
    }
    if isEmpty {
      return Result(
        report: SignOutReport(accounts: [], entries: []), targets: [], isSharedDevice: isShared)
    }
    var work = Work()
    let (outcome, custody) = try rotate { transaction in
      // The transaction runs again if another process has moved the group to a new key, and if the
      // keyring is slow.
      work = Work()
      let found = try self.resolved(settled, client, in: transaction)
      for (index, stored) in found.enumerated() {
        if !work.done.contains(stored.tag) {
          try self.erase(stored, client, &work, in: transaction)
        }
        self.progress(index + 1, found.count)
      }
      if let client, !work.erased.isEmpty {
        transaction.state.signedOutClients.insert(CaseFolding.key(client))
      }
      if case (.everything, nil) = (settled, client) {
        try transaction.setExtras([])
      } else {
        try self.forgetExtras(of: work.erased, in: transaction)
      }
      transaction.state.importedFiles.removeAll(where: CacheFile.isGone)
      work.files = transaction.state.importedFiles
      return work.erased + work.strays
    }
    var entries = outcome.entries(custody: custody, work.fileDetail)
    if client == nil || !work.erased.isEmpty {
      entries.append(removeRules(of: work.erased.map(\.tag)))
    }
    entries += ImportedFiles(paths: work.files).entries(work.accounts) { account in
      work.kept.contains { $0.identity == account.identity } ? client : nil
    }
    var report = SignOutReport(accounts: work.accounts, entries: entries)
    report.keptAccounts = work.kept
    return Result(report: report, targets: work.targets, isSharedDevice: isShared)
  }

  /// The accounts among these that a client neither is signed in to nor has a token of.
  package func strangers(
    to client: String, among references: [AccountReference]
  ) throws(VaultError) -> [Account] {
    try session.read { transaction in
      let client = try FamilyClient(client, in: transaction)
      return try lookup.stored(references, in: transaction)
        .filter { !$0.record.isOf(client) }
        .map { lookup.account($0, in: transaction) }
    }
  }

  /// The accounts that ``run(_:client:widensOnSharedDevice:)`` would sign out, and whether other
  /// clients would keep each.
  package func preview(
    _ scope: Scope, client: String? = nil
  ) throws(VaultError) -> [(account: Account, isKept: Bool)] {
    let client = try DeviceInformation(session.configuration).isShared ? nil : client
    return try session.read { transaction in
      try resolved(scope, client, in: transaction).filter { !$0.record.environment.isEmpty }
        .map { stored in
          let isKept = client.map { client in
            stored.record.isSecret || !stored.record.clients(besides: client).isEmpty
          }
          return (lookup.account(stored, in: transaction), isKept ?? false)
        }
    }
  }

  /// The scope with its accounts found, and whether it has none.
  private func settled(
    _ scope: Scope, _ client: String?, in transaction: GroupTransaction
  ) throws -> (Scope, isEmpty: Bool) {
    switch scope {
    case .accounts(let references):
      let accounts = try lookup.stored(references, in: transaction)
        .map { AccountReference.known(self.lookup.account($0, in: transaction)) }
      return (.accounts(accounts), accounts.isEmpty)
    case .everything:
      guard client == nil else {
        return (scope, try resolved(scope, client, in: transaction).isEmpty)
      }
      // An empty group may still remember the clients of its accounts.
      return (scope, try transaction.state.accountCount == 0 && !hasExtras(transaction))
    }
  }

  /// Damaged ones are there, too.
  private func hasExtras(_ transaction: GroupTransaction) throws -> Bool {
    do { return try !transaction.extras().isEmpty } catch StoreError.damaged { return true }
  }

  /// The accounts to erase, those with an unresolved environment last.
  /// - Throws: ``StoreError/damaged(rows:)`` if every account is to be erased and one cannot be
  ///   decrypted.
  private func resolved(
    _ scope: Scope, _ client: String?, in transaction: GroupTransaction
  ) throws -> [StoredAccount] {
    let found =
      switch scope {
      case .accounts(let references): try lookup.stored(references, in: transaction)
      case .everything:
        try lookup.all(in: transaction) { account in client.map(account.record.isOf) ?? true }
      }
    let (settled, strays) = (
      found.filter { !$0.record.environment.isEmpty }, found.filter(\.record.environment.isEmpty)
    )
    return settled + strays
  }

  // MARK: The transaction

  /// The results of the transaction, and the tokens to revoke. The transaction collects these tokens,
  /// so that they include one that a refresh stored just before it. A refresh that ends later finds
  /// no account.
  private struct Work {
    /// The public views of the accounts that were signed out.
    var accounts: [Account] = []
    /// Those among them that other clients keep.
    var kept: [Account] = []
    var erased: [StoredAccount] = []
    /// Tokens of these accounts that were imported while their environment was unresolved.
    var strays: [StoredAccount] = []
    /// The tags of all of these, and of those that were signed out of one client only.
    var done: Set<[UInt8]> = []
    var targets: [RevocationTarget] = []
    /// The imported files of the group.
    var files: [String] = []

    var fileDetail: String {
      if done.isEmpty { return "no account was left; the remembered clients were deleted" }
      if kept.isEmpty { return "rows deleted, account keys destroyed" }
      return erased.isEmpty
        ? "the client's rows deleted, account keys replaced; other clients keep the account"
        : "rows deleted, account keys destroyed; replaced where other clients keep the account"
    }
  }

  /// Erases an account, or signs one client out of it if other clients use it.
  private func erase(
    _ stored: StoredAccount, _ client: String?, _ work: inout Work,
    in transaction: GroupTransaction
  ) throws {
    let strays = try unresolved(stored, in: transaction).filter { !work.done.contains($0.tag) }
    work.done.formUnion(([stored] + strays).map(\.tag))
    let others = client.map { client in
      ([stored] + strays).reduce(into: Set<String>()) {
        $0.formUnion($1.record.clients(besides: client))
      }
    }
    guard let client, let others, !others.isEmpty || stored.record.isSecret else {
      work.targets += RevocationTarget.all(of: stored, nil, in: transaction)
      work.accounts.append(lookup.account(stored, in: transaction))
      work.erased.append(stored)
      work.strays += strays
      return
    }
    let keepsFamily = try others.contains { other in
      try self.mayBeInFamily(other, at: stored.record.environment, in: transaction)
    }
    work.targets += RevocationTarget.all(
      of: stored, client, keepsFamily: keepsFamily, in: transaction)
    let rest = try signOut(client, of: stored, keepsFamily: keepsFamily, in: transaction)
    let account = lookup.account(rest, in: transaction)
    work.accounts.append(account)
    work.kept.append(account)
    for stray in strays {
      let rest = try signOut(client, of: stray, keepsFamily: keepsFamily, in: transaction)
      // No later step would ever remove the rest of it.
      if rest.record.stored.isEmpty { work.strays.append(rest) }
    }
  }

  /// Damaged metadata must not prevent an erasure.
  private func mayBeInFamily(
    _ client: String, at environment: String, in transaction: GroupTransaction
  ) throws -> Bool {
    do {
      return try FamilyClient(client, in: transaction).mayBeInFamily(at: environment)
    } catch StoreError.damaged { return true }
  }

  /// Signs one client out: its tokens are erased, other clients keep theirs, and a tombstone keeps
  /// the client from counting as signed in.
  ///
  /// The refresh token of a family of clients stays if another client may use it. The account gets
  /// a new key, so that the client's tokens cannot be read from older copies, just as those of an
  /// erased account cannot.
  private func signOut(
    _ client: String, of stored: StoredAccount, keepsFamily: Bool,
    in transaction: GroupTransaction
  ) throws -> StoredAccount {
    let kept = try stored.record.stored
      .filter { entry in
        !CaseFolding.equal(entry.credential.clientID, client)
          || (keepsFamily && entry.credential.isFamilyRefreshToken)
      }
      .map { ($0, try transaction.payload(of: $0, in: stored)) }
    var record = stored.record
    record.clients[CaseFolding.key(client)] = .signedOut
    return try transaction.replace(stored, with: record, credentials: kept)
  }

  private func rotate(
    _ change: (GroupTransaction) throws -> [StoredAccount]
  ) throws(VaultError) -> (Rotation.Outcome, GroupHeader.Custody) {
    let configuration = session.configuration
    return try vaultErrors(session.group) {
      // The lock first, then the session: see ``GroupSession``.
      try FileLock.hold(configuration.lockPath, waiting: 60_000) {
        try session.withGroup { group in
          // Stale copies are removed first, so that none is left once the sign-out is in force.
          var found = false
          var failure: (any Error)?
          if group.isInPlace {
            do { found = try StaleCopies(configuration).remove(of: group.header) } catch {
              failure = error
            }
          }
          var outcome = try Rotation(configuration).run(group, change)
          outcome.hadStaleCopies = found
          outcome.staleCopyFailure = failure
          return (outcome, group.header.custody)
        }
      }
    }
  }

  /// Removes imported data that names an account but could not be stored with it. The metadata of
  /// clients stays.
  private func forgetExtras(
    of accounts: [StoredAccount], in transaction: GroupTransaction
  ) throws {
    var kept: MSALCache
    do { kept = try CacheExtras.read(transaction) } catch StoreError.damaged {
      // The data stays as it is, under the key that the rotation destroys.
      return
    }
    let before = kept.unknown
    for account in accounts {
      kept.unknown = kept.unknown.compactMap { $0.without(account.record) }
    }
    guard kept.unknown != before else { return }
    try CacheExtras.write(kept, transaction)
  }

  /// The tokens of an account that were imported while its environment was unresolved.
  private func unresolved(
    _ account: StoredAccount, in transaction: GroupTransaction
  ) throws -> [StoredAccount] {
    let record = account.record
    guard !record.homeAccountID.isEmpty, !record.environment.isEmpty else { return [] }
    let identity = AccountIdentity(
      homeAccountID: HomeAccountID(record.homeAccountID), environment: "",
      authorityType: AuthorityType(cacheText: "", environment: ""))
    return try transaction.account(storedAs: identity).map { [$0] } ?? []
  }

  private func removeRules(of tags: [[UInt8]]) -> SignOutReport.Entry {
    do {
      let count = try rules.remove(group: session.group, accounts: tags)
      return SignOutReport.Entry(
        place: .directoryRules, isClean: true,
        detail: count == 0 ? "no rule named the account" : "\(count) removed")
    } catch {
      return SignOutReport.Entry(
        place: .directoryRules, isClean: false, detail: "the rules could not be rewritten")
    }
  }
}

extension Rotation.Outcome {
  /// The report's entries for the places that a rotation cleans.
  fileprivate func entries(
    custody: GroupHeader.Custody, _ fileDetail: String
  ) -> [SignOutReport.Entry] {
    var entries = [
      SignOutReport.Entry(place: .groupFile, isClean: true, detail: fileDetail),
      SignOutReport.Entry(
        place: .log, isClean: logIsEmpty,
        detail: logIsEmpty
          ? "emptied"
          : "another process is still reading it; the keys of its old rows are destroyed"),
    ]
    if custody == .secretService {
      let parts: [(SignOutReport.Place, isGone: Bool, detail: String)] = [
        (.secretService, oldKeyFailure == nil, "deleted; deletion verified"),
        (.devicePart, devicePartFailure == nil, "overwritten and deleted"),
      ]
      entries += parts.map { place, isGone, detail in
        SignOutReport.Entry(
          place: place, isClean: isGone,
          detail: isGone ? detail : "not deleted yet; the next command tries again")
      }
    }
    entries.append(
      SignOutReport.Entry(
        place: .kernelKeyring, isClean: kernelFailure == nil,
        detail: kernelFailure == nil ? "none left" : "could not be checked"))
    if hadStaleCopies || staleCopyFailure != nil {
      let isGone = staleCopyFailure == nil
      entries.append(
        SignOutReport.Entry(
          place: .staleCopies, isClean: isGone,
          detail: isGone
            ? "removed"
            : "not removed from the groups directory; the key of that time still opens them"))
    }
    return entries
  }
}
