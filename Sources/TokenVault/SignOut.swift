import TokenVaultGroupStore
import Glibc
import TokenVaultKeyCustody
public import TokenVaultModel

/// What a sign-out did, place by place.
public struct SignOutReport: Sendable {
  /// A place where something of the accounts was or may have been.
  public enum Place: String, Sendable, CaseIterable {
    /// The accounts' rows and their keys in the group file.
    case groupFile = "group file"
    /// The write-ahead log beside the group file.
    case log = "write-ahead log"
    /// The group's former key in the Secret Service.
    case secretService = "former key in the Secret Service"
    /// The group's former key in the kernel keyring.
    case kernelKeyring = "former key in the kernel keyring"
    /// Sealed copies of the group file that a creation or restore left when it was cut short.
    case staleCopies = "copies that a crash left"
    /// Rules that choose the accounts for a directory.
    case directoryRules = "directory rules"
  }

  /// One place and what became of it.
  public struct Entry: Sendable {
    /// Where.
    public let place: Place
    /// Whether nothing of the accounts is left there.
    public let isClean: Bool
    /// What was done, or why it could not be; never a secret.
    public let detail: String
  }

  /// The accounts that were signed out.
  public let accounts: [Account]
  /// Every place that was looked at.
  public let entries: [Entry]
  /// What the providers were told, by account and client.
  public internal(set) var revocations: [Revocation] = []
  /// What became of the providers' sessions in the browser.
  public internal(set) var browserSessions: [BrowserSession] = []
  /// Whether nothing is left anywhere on this machine.
  public var isClean: Bool { entries.allSatisfy(\.isClean) }
}

extension VaultCore {
  /// Erases accounts from the group, for every client of it, and says what became of each place.
  ///
  /// When it returns, the accounts are gone from the file; an entry that is not clean is
  /// something that is left to delete elsewhere, and the next command tries again.
  /// Nothing named, nothing done.
  @discardableResult
  package func signOut(_ texts: [String]) throws(VaultError) -> SignOutReport {
    guard !texts.isEmpty else { return try nothingToDo() }
    return try erase { try self.resolveAll(texts, in: $0) }
  }

  private func nothingToDo() throws(VaultError) -> SignOutReport {
    try read { _ in SignOutReport(accounts: [], entries: []) }
  }

  /// Each account once, however often it is named.
  private func resolveAll(
    _ texts: [String], in transaction: GroupTransaction
  ) throws -> [StoredAccount] {
    var accounts: [StoredAccount] = []
    for text in texts {
      let account = try self.resolve(text, in: transaction)
      if !accounts.contains(where: { $0.tag == account.tag }) { accounts.append(account) }
    }
    return accounts
  }

  /// Erases every account of the group.
  @discardableResult
  package func signOutAll() throws(VaultError) -> SignOutReport {
    try erase(everything: true) { transaction in
      var accounts: [StoredAccount] = []
      let damaged = try transaction.forEachAccount { account throws(StoreError) in
        accounts.append(account)
      }
      guard damaged == 0 else { throw StoreError.damaged(rows: damaged) }
      return accounts
    }
  }

  private func erase(
    everything: Bool = false, _ choose: (GroupTransaction) throws -> [StoredAccount]
  ) throws(VaultError) -> SignOutReport {
    try withGroup { group in
      // A name that nobody bears is told before the keyring is touched.
      if !everything { try group.read { _ = try choose($0) } }
      var accounts: [Account] = []
      var tags: [[UInt8]] = []
      let isShared = try self.deviceInformation().mode == .shared
      let outcome = try self.rotate(group) { transaction in
        let chosen = try choose(transaction)
        accounts = chosen.map { self.account($0, in: transaction) }
        tags = chosen.map(\.tag)
        self.forget(chosen, tellOthers: isShared, in: transaction)
        if everything {
          try transaction.setExtras([])
        } else {
          try self.forgetExtras(of: chosen, in: transaction)
        }
        return try chosen + self.unresolvedEnvironment(chosen, in: transaction)
      }
      let rules = self.removeRules(of: tags)
      return SignOutReport(
        accounts: accounts,
        entries: Self.entries(outcome, custody: group.header.custody) + [rules])
    }
  }

  private func rotate(
    _ group: UnlockedGroup, _ change: (GroupTransaction) throws -> [StoredAccount]
  ) throws -> Rotation.Outcome {
    try FileLock.hold(configuration.lockPath, waiting: 60_000) {
      // First, so that nothing of them is left to do when the sign-out is in force.
      var found = false
      var failure: (any Error)?
      if group.isInPlace {
        do { found = try removeStaleCopies(of: group.header) } catch { failure = error }
      }
      var outcome = try Rotation(configuration).run(group, change)
      outcome.hadStaleCopies = found
      outcome.staleCopyFailure = failure
      return outcome
    }
  }

  /// On a shared device the other tools are told who left; elsewhere nothing that names the
  /// account stays.
  private func forget(
    _ accounts: [StoredAccount], tellOthers: Bool, in transaction: GroupTransaction
  ) {
    for (client, principal) in transaction.state.principals {
      guard let account = accounts.first(where: { $0.tag == principal.account }) else { continue }
      transaction.state.principals[client]?.previousAccount =
        tellOthers
        ? GroupState.PreviousAccount(
          homeAccountID: account.record.homeAccountID, environment: account.record.environment,
          username: account.record.username) : nil
    }
  }

  /// Drops what the imports brought that names an account and could not be stored with it. What is
  /// known of clients stays.
  private func forgetExtras(
    of accounts: [StoredAccount], in transaction: GroupTransaction
  ) throws {
    let erased = Set(accounts.map { CaseFolding.key($0.record.homeAccountID) })
    var kept: MSALCache
    do { kept = try extras(in: transaction) } catch StoreError.damaged {
      // It stays as it is, under the key that the rotation destroys.
      return
    }
    let count = kept.unknown.count
    kept.unknown.removeAll { member in
      member.homeAccountIDs.contains { erased.contains(CaseFolding.key($0)) }
    }
    guard kept.unknown.count < count else { return }
    try transaction.setExtras(
      kept.unknown.isEmpty && kept.apps.isEmpty ? [] : try kept.json())
  }

  /// Foreign tokens of the accounts that came before it was known where the accounts live.
  private func unresolvedEnvironment(
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

  private static func entries(
    _ outcome: Rotation.Outcome, custody: GroupHeader.Custody
  ) -> [SignOutReport.Entry] {
    var entries = [
      SignOutReport.Entry(
        place: .groupFile, isClean: true, detail: "rows deleted, account keys destroyed"),
      SignOutReport.Entry(
        place: .log, isClean: outcome.logIsEmpty,
        detail: outcome.logIsEmpty
          ? "emptied" : "another process still reads it; its old rows have no key any more"),
    ]
    if custody == .secretService {
      let isGone = outcome.oldKeyFailure == nil
      entries.append(
        SignOutReport.Entry(
          place: .secretService, isClean: isGone,
          detail: isGone
            ? "deleted, and seen to be gone" : "not deleted yet; the next command tries again"))
    }
    entries.append(
      SignOutReport.Entry(
        place: .kernelKeyring, isClean: outcome.kernelFailure == nil,
        detail: outcome.kernelFailure == nil ? "none left" : "could not be looked at"))
    if outcome.hadStaleCopies || outcome.staleCopyFailure != nil {
      let isGone = outcome.staleCopyFailure == nil
      entries.append(
        SignOutReport.Entry(
          place: .staleCopies, isClean: isGone,
          detail: isGone
            ? "removed"
            : "not removed from the groups directory; what opened the group then opens them"))
    }
    return entries
  }

  private func removeRules(of tags: [[UInt8]]) -> SignOutReport.Entry {
    do {
      let count = try DirectoryRules(vaultDirectory: configuration.directory)
        .remove(group: group, accounts: tags)
      return SignOutReport.Entry(
        place: .directoryRules, isClean: true,
        detail: count == 0 ? "none named the account" : "\(count) removed")
    } catch {
      return SignOutReport.Entry(
        place: .directoryRules, isClean: false, detail: "the rules could not be rewritten")
    }
  }

  /// Signs one client out of accounts: its tokens are erased, other clients keep theirs, and a
  /// tombstone keeps the client from being taken for signed in.
  ///
  /// The refresh token of a family of clients stays for the family. Each account gets a new key,
  /// so that the client's tokens are as gone from older copies as a whole account would be.
  @discardableResult
  package func signOut(_ texts: [String], client: String) throws(VaultError) -> SignOutReport {
    guard !texts.isEmpty else { return try nothingToDo() }
    return try signOut(client: client) { transaction in
      try self.resolveAll(texts, in: transaction)
    }
  }

  /// Signs one client out of every account that it holds credentials of.
  package func signOutAll(client: String) throws(VaultError) -> SignOutReport {
    try signOut(client: client) { transaction in
      var accounts: [StoredAccount] = []
      let damaged = try transaction.forEachAccount { account throws(StoreError) in
        let clients = account.record.stored.map(\.credential.clientID)
        if clients.contains(where: { CaseFolding.equal($0, client) }) { accounts.append(account) }
      }
      guard damaged == 0 else { throw StoreError.damaged(rows: damaged) }
      return accounts
    }
  }

  private func signOut(
    client: String, _ choose: (GroupTransaction) throws -> [StoredAccount]
  ) throws(VaultError) -> SignOutReport {
    try withGroup { group in
      guard try !group.read({ try choose($0) }).isEmpty else { return try self.nothingToDo() }
      var accounts: [Account] = []
      let outcome = try self.rotate(group) { transaction in
        let chosen = try choose(transaction)
        for stored in chosen {
          let account = try self.rekey(stored, without: client, in: transaction)
          accounts.append(self.account(account, in: transaction))
        }
        // Nothing would ask for the rest of these.
        return try self.unresolvedEnvironment(chosen, in: transaction)
          .map { try self.rekey($0, without: client, in: transaction) }
          .filter(\.record.stored.isEmpty)
      }
      return SignOutReport(
        accounts: accounts, entries: Self.entries(outcome, custody: group.header.custody))
    }
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
