import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSystem

/// Erases accounts from a group. It does not use the network.
///
/// The order of steps:
/// 1. One read resolves the accounts and collects, in memory, the data that their revocation needs.
/// 2. The group's lock is taken, and stale copies of the group file are removed.
/// 3. ``Rotation`` stores the parts of a new group key and removes the old one from the kernel keyring.
/// 4. One transaction deletes the accounts' rows, wraps the other account keys under the new key,
///    and commits.
/// 5. The write-ahead log is emptied, and both parts of the old key are deleted; the deletion is
///    verified.
/// 6. Directory rules that name the accounts are removed.
///
/// ``Revocation`` contacts the providers afterwards.
package struct Erasure {
  private let session: GroupSession
  private var lookup: AccountLookup { session.lookup }

  package init(_ session: GroupSession) { self.session = session }

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
  }

  /// Erases accounts, for one client or for all.
  ///
  /// When it returns, the accounts are gone from the file. An entry of the report that is not clean
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
    // A name that matches no account is reported before the keyring is contacted.
    let (accounts, targets) = try session.read { transaction in
      let accounts = try self.resolved(scope, client, in: transaction)
      let known = accounts.map { $0.map { self.lookup.account($0, in: transaction) } }
      return (known, try self.targets(accounts, client, in: transaction))
    }
    if let accounts, accounts.isEmpty {
      return Result(report: SignOutReport(accounts: [], entries: []), targets: targets)
    }
    let report: SignOutReport
    if let client {
      report = try erase(accounts ?? [], of: client)
    } else {
      report = try erase(accounts, tellsOthers: isShared)
    }
    return Result(report: report, targets: targets)
  }

  /// The accounts to erase; nil for every account, whether or not it can be decrypted.
  private func resolved(
    _ scope: Scope, _ client: String?, in transaction: GroupTransaction
  ) throws -> [StoredAccount]? {
    switch (scope, client) {
    case (.accounts(let references), _): return try lookup.stored(references, in: transaction)
    case (.everything, nil): return nil
    case (.everything, let client?):
      return try lookup.all(in: transaction) { account in
        account.record.stored.contains { CaseFolding.equal($0.credential.clientID, client) }
      }
    }
  }

  /// Damage must not prevent an erasure: an account that cannot be decrypted has no targets.
  private func targets(
    _ named: [StoredAccount]?, _ client: String?, in transaction: GroupTransaction
  ) throws -> [RevocationTarget] {
    var accounts = named ?? []
    if named == nil {
      _ = try transaction.forEachAccount { account throws(StoreError) in accounts.append(account) }
    }
    return accounts.flatMap { RevocationTarget.all(of: $0, client, in: transaction) }
  }

  // MARK: For every client

  private func erase(
    _ named: [Account]?, tellsOthers: Bool
  ) throws(VaultError) -> SignOutReport {
    var accounts: [Account] = []
    var erased: [[UInt8]] = []
    let (outcome, custody) = try rotate { transaction in
      let chosen =
        try named.map { try self.lookup.stored($0.map(AccountReference.known), in: transaction) }
        ?? self.lookup.all(in: transaction)
      accounts = chosen.map { self.lookup.account($0, in: transaction) }
      erased = chosen.map(\.tag)
      self.forget(chosen, tellsOthers: tellsOthers, in: transaction)
      if named == nil {
        try transaction.setExtras([])
      } else {
        try self.forgetExtras(of: chosen, in: transaction)
      }
      return try chosen + self.withUnresolvedEnvironment(chosen, in: transaction)
    }
    return SignOutReport(
      accounts: accounts,
      entries: outcome.entries(custody: custody) + [removeRules(of: erased)])
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

  /// On a shared device the other tools learn which account was signed out; elsewhere no name of
  /// the account is kept.
  private func forget(
    _ accounts: [StoredAccount], tellsOthers: Bool, in transaction: GroupTransaction
  ) {
    for (client, principal) in transaction.state.principals {
      guard let account = accounts.first(where: { $0.tag == principal.account }) else { continue }
      transaction.state.principals[client]?.previousAccount =
        tellsOthers
        ? GroupState.PreviousAccount(
          homeAccountID: account.record.homeAccountID, environment: account.record.environment,
          username: account.record.username) : nil
    }
  }

  /// Removes imported data that names an account but could not be stored with it. The metadata of
  /// clients stays.
  private func forgetExtras(
    of accounts: [StoredAccount], in transaction: GroupTransaction
  ) throws {
    let erased = Set(accounts.map { CaseFolding.key($0.record.homeAccountID) })
    var kept: MSALCache
    do { kept = try CacheExtras.read(transaction) } catch StoreError.damaged {
      // The data stays as it is, under the key that the rotation destroys.
      return
    }
    let count = kept.unknown.count
    kept.unknown.removeAll { member in
      member.homeAccountIDs.contains { erased.contains(CaseFolding.key($0)) }
    }
    guard kept.unknown.count < count else { return }
    try CacheExtras.write(kept, transaction)
  }

  /// The tokens of the accounts that were imported while the accounts' environment was unresolved.
  private func withUnresolvedEnvironment(
    _ accounts: [StoredAccount], in transaction: GroupTransaction
  ) throws -> [StoredAccount] {
    var found: [StoredAccount] = []
    for account in accounts where !account.record.homeAccountID.isEmpty {
      let identity = AccountIdentity(
        homeAccountID: HomeAccountID(account.record.homeAccountID), environment: "",
        authorityType: AuthorityType(cacheText: "", environment: ""))
      guard let stray = try transaction.account(tag: try transaction.tag(of: identity)),
        !(accounts + found).contains(where: { $0.tag == stray.tag })
      else { continue }
      found.append(stray)
    }
    return found
  }

  private func removeRules(of tags: [[UInt8]]) -> SignOutReport.Entry {
    do {
      let count = try DirectoryRules(vaultDirectory: session.configuration.directory)
        .remove(group: session.group, accounts: tags)
      return SignOutReport.Entry(
        place: .directoryRules, isClean: true,
        detail: count == 0 ? "no rule named the account" : "\(count) removed")
    } catch {
      return SignOutReport.Entry(
        place: .directoryRules, isClean: false, detail: "the rules could not be rewritten")
    }
  }

  // MARK: For one client

  /// Signs one client out: its tokens are erased, other clients keep theirs, and a tombstone keeps
  /// the client from counting as signed in.
  ///
  /// The refresh token of a family of clients stays for the family. Each account gets a new key, so
  /// that the client's tokens cannot be read from older copies, just as those of an erased account
  /// cannot.
  private func erase(
    _ named: [Account], of client: String
  ) throws(VaultError) -> SignOutReport {
    var accounts: [Account] = []
    let (outcome, custody) = try rotate { transaction in
      let chosen = try self.lookup.stored(named.map(AccountReference.known), in: transaction)
      for stored in chosen {
        let account = try self.rekey(stored, without: client, in: transaction)
        accounts.append(self.lookup.account(account, in: transaction))
      }
      // No later step would ever remove the rest of these.
      return try self.withUnresolvedEnvironment(chosen, in: transaction)
        .map { try self.rekey($0, without: client, in: transaction) }
        .filter(\.record.stored.isEmpty)
    }
    return SignOutReport(accounts: accounts, entries: outcome.entries(custody: custody))
  }

  private func rekey(
    _ stored: StoredAccount, without client: String, in transaction: GroupTransaction
  ) throws -> StoredAccount {
    let kept = try stored.record.stored
      .filter { entry in
        !CaseFolding.equal(entry.credential.clientID, client)
          || (entry.credential.kind == .refreshToken && !entry.credential.familyID.isEmpty)
      }
      .map { ($0.credential, try transaction.payload(of: $0, in: stored)) }
    var record = stored.record
    record.clients[CaseFolding.key(client)] = .signedOut
    return try transaction.replace(stored, with: record, credentials: kept)
  }
}

extension Rotation.Outcome {
  /// The report's entries for the places that a rotation cleans.
  fileprivate func entries(custody: GroupHeader.Custody) -> [SignOutReport.Entry] {
    var entries = [
      SignOutReport.Entry(
        place: .groupFile, isClean: true, detail: "rows deleted, account keys destroyed"),
      SignOutReport.Entry(
        place: .log, isClean: logIsEmpty,
        detail: logIsEmpty
          ? "emptied"
          : "another process is still reading it; the keys of its old rows are destroyed"),
    ]
    if custody == .secretService {
      let isGone = oldKeyFailure == nil
      entries.append(
        SignOutReport.Entry(
          place: .secretService, isClean: isGone,
          detail: isGone
            ? "deleted; deletion verified" : "not deleted yet; the next command tries again"))
    }
    if custody == .secretService {
      let isGone = devicePartFailure == nil
      entries.append(
        SignOutReport.Entry(
          place: .devicePart, isClean: isGone,
          detail: isGone
            ? "overwritten and deleted" : "not deleted yet; the next command tries again"))
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
