import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultSystem

/// Replaces every key of a group and encrypts every row again, in one transaction: the cure for a
/// key that leaked. See docs/decisions/0015-renewal.md.
struct Renewal {
  /// Called after each account with the number of accounts so far, and of all.
  typealias Progress = (_ done: Int, _ all: Int) -> Void

  private let session: GroupSession
  private let progress: Progress
  /// The time in milliseconds for which it waits for refreshes, and then for a sign-out.
  private let patience: Int
  private var configuration: VaultConfiguration { session.configuration }

  init(_ session: GroupSession, patience: Int = 60_000, _ progress: @escaping Progress) {
    self.session = session
    self.patience = patience
    self.progress = progress
  }

  /// Runs `body` while no other process refreshes a token, signs out or renews.
  ///
  /// The locks are taken in this order: the refresh locks of all accounts, the group's lock, the
  /// session. A process that refreshes holds the lock of its account while it waits for the
  /// provider and then takes only the session, so none of them waits for another in a circle.
  /// - Throws: ``StoreError/busy`` if a refresh or a sign-out takes longer than the patience.
  func whileAlone<R>(_ body: (UnlockedGroup) throws -> R) throws -> R {
    try FileLock.hold(configuration.refreshLockPath, waiting: patience) {
      try FileLock.hold(configuration.lockPath, waiting: patience) { try session.withGroup(body) }
    }
  }

  /// Renews the group under a new key. Call it from ``whileAlone(_:)``.
  /// - Parameters:
  ///   - custody: The custody of the new key.
  ///   - committed: Called as soon as the new key is in force.
  ///   - setSlots: Sets the slots of the new key. The former slots are gone.
  func run(
    _ group: UnlockedGroup, custody: GroupHeader.Custody, committed: () -> Void = {},
    _ setSlots: (GroupTransaction) throws -> Void
  ) throws -> Rotation.Outcome {
    let rules = DirectoryRules(vaultDirectory: configuration.directory)
    if group.isInPlace {
      bestEffort("a copy that stays is one from before, which a former key opens in any case") {
        _ = try StaleCopies(configuration).remove(of: group.header)
      }
    }
    var renewed = GroupTransaction.Renewed()
    var outcome = try Rotation(configuration).run(
      group, to: custody,
      finally: { transaction in
        try transaction.setCustody(custody)
        for position in KeySlot.Position.allCases { try transaction.removeSlot(position) }
        try setSlots(transaction)
        // They are sealed under the former lookup key. The next backup records the name again.
        let backup = try transaction.soundHistory()?.backup
        try transaction.setGroupName(nil)
        try transaction.setHistory(nil)
        let all = Int(clamping: transaction.state.accountCount)
        renewed = try transaction.renew { progress($0, all) }
        if let backup { try transaction.changeHistory { $0.backup = backup } }
        try rules.stage(group: session.group, tags: renewed.tags)
      }, committed: committed, { _ in [] })
    outcome.report.unreadable = renewed.unreadable
    outcome.report.unreadableCredentials = renewed.unreadableCredentials
    bestEffort("a rule may name the former tag as well; it applies all the same") {
      try rules.settle(group: session.group, tags: renewed.tags)
    }
    return outcome
  }
}

extension Rotation.Outcome {
  /// The reason why the former key may still exist somewhere; nil if it is gone.
  var leftover: (any Error)? { oldKeyFailure ?? devicePartFailure ?? kernelFailure }
}
