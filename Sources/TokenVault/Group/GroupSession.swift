import Synchronization
package import TokenVaultGroupStore
package import TokenVaultModel
import TokenVaultSystem

/// One group. It is opened at the first use, and reopened when another process has moved it to a
/// newer generation.
///
/// Calls block; ``Vault`` keeps them off the cooperative pool. Several threads may share a session:
/// one transaction runs at a time, and the group is opened, and its passphrase read, only once. A
/// caller that also needs the group's lock takes the lock first and the session second, so that no
/// thread waits for another process while it holds the session.
package final class GroupSession: @unchecked Sendable {
  package let configuration: VaultConfiguration
  /// Protects every variable below.
  private let turn = Mutex(())
  private var opened: UnlockedGroup? {
    willSet {
      ownCommits += opened?.commits ?? 0
      // They watch the connection that is about to close.
      served.removeAll()
    }
  }
  /// The tokens that calls of this process have read.
  let served = ServedTokens()
  /// The number of changes that this session made over connections that are now closed.
  private var ownCommits: UInt64 = 0
  /// The id of the group that this session created.
  private var createdGroup: [UInt8]?
  private var admitted: GroupManifest?
  /// The account last returned to each client as its current one.
  private var seenPrincipals: [String: Account] = [:]

  package init(_ configuration: VaultConfiguration) { self.configuration = configuration }

  package var group: GroupName { configuration.group }
  package var now: Timestamp { configuration.now() }
  var lookup: AccountLookup { AccountLookup(group: group) }

  // MARK: Transactions

  /// Reads one snapshot of the group.
  /// - Parameter precedesRotation: whether a change of the group's key follows.
  /// - Throws: ``VaultError/noGroup(_:)`` if the group has no file.
  package func read<R>(
    precedesRotation: Bool = false, _ body: (GroupTransaction) throws -> R
  ) throws(VaultError) -> R {
    storeUnstoredTokens()
    return try withGroup(precedesRotation: precedesRotation) { try $0.read(body) }
  }

  /// Changes the group in one durable transaction. The caller does not hold the group's lock.
  package func write<R>(_ body: (GroupTransaction) throws -> R) throws(VaultError) -> R {
    storeUnstoredTokens()
    let result: R? = try withGroup { $0.header.isOutdated ? nil : .some(try $0.write(body)) }
    if let result { return result }
    try upgradeFormat()
    return try withGroup { try $0.write(body) }
  }

  /// Moves a file of an earlier format version to the present one, with a new key.
  /// It does not wait for a prompt of the keyring, because the caller may hold a refresh lock.
  private func upgradeFormat() throws(VaultError) {
    var configuration = configuration
    configuration.allowsPrompt = false
    bestEffort("the change is possible in the earlier format, and the next one upgrades the file") {
      // Any process that holds the lock is about to rotate the key itself.
      try FileLock.hold(configuration.lockPath, waiting: 0) {
        try withGroup { group in
          guard group.header.isOutdated else { return }
          _ = try Rotation(configuration).run(group) { _ in [] }
        }
      }
    }
  }

  /// Runs `body` with the open group, and again if another process has rotated the key meanwhile.
  func withGroup<R>(
    precedesRotation: Bool = false, _ body: (UnlockedGroup) throws -> R
  ) throws(VaultError) -> R {
    try inTurn { () throws(VaultError) in
      try vaultErrors(group) {
        // Another process can only get ahead of this one by rotating the key once more.
        for _ in 0..<200 {
          do { return try body(try open(precedesRotation)) } catch StoreError.generationChanged {
            opened = nil
          }
        }
        throw StoreError.busy
      }
    }
  }

  /// Runs `body` while no other thread does so.
  private func inTurn<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    var result: Result<R, E>?
    turn.withLock { _ in result = Result { () throws(E) in try body() } }
    guard let result else { preconditionFailure("The body has run.") }
    return try result.get()
  }

  /// Closes the file and destroys its keys in memory.
  package func close() { adopt(nil) }

  private func open(_ precedesRotation: Bool) throws -> UnlockedGroup {
    if let opened, opened.isInPlace {
      served.removeOutdated()
      return opened
    }
    // The keys of a deleted group are destroyed even if no other group opens in its place.
    opened = nil
    try admitUnlocked()
    try protectProcess()
    let retrieval = KeyRetrieval(
      configuration: configuration, precedesRotation: precedesRotation)
    let group = try retrieval.open(configuration.groupPath)
    opened = group
    try Rotation(configuration).resume(group)
    return group
  }

  /// Precedes the first key in memory.
  private func protectProcess() throws(VaultError) {
    guard configuration.protectsProcess else { return }
    do { try SystemCalls.forbidTracing() } catch {
      throw .file(path: "/proc/self", call: error.call, errno: error.errno)
    }
  }

  /// Uses a group that was opened by other means than its custody; nil closes the present one.
  func adopt(_ group: UnlockedGroup?) { inTurn { opened = group } }

  /// Records that this session created the group, in this number of commits.
  func noteCreation(of groupID: [UInt8], commits: UInt64) {
    inTurn {
      opened = nil
      ownCommits = commits
      createdGroup = groupID
    }
  }

  // MARK: Principals

  /// The account that this session last returned to a client, by folded client id, as its current
  /// one. The group's file does not keep it beyond its sign-out.
  func seenPrincipal(of client: String) -> Account? {
    inTurn { seenPrincipals[client] }
  }

  func notePrincipal(_ account: Account?, of client: String) {
    inTurn { seenPrincipals[client] = account }
  }

  // MARK: Changes

  /// A value that changes whenever another process, or another session of this process, changes the
  /// group.
  package struct ChangeMark: Equatable, Sendable {
    let groupID: [UInt8]
    let foreignCommits: UInt64
    /// Whether this session created the group and is the only one that has changed it.
    let isOwnWork: Bool
  }

  /// The present mark; nil while the group has no file.
  package func changeMark() throws(VaultError) -> ChangeMark? {
    do {
      return try withGroup { group in
        let changes = try group.read { $0.state.changes }
        let foreign = changes &- self.ownCommits &- group.commits
        return ChangeMark(
          groupID: group.header.groupID, foreignCommits: foreign,
          isOwnWork: foreign == 0 && group.header.groupID == self.createdGroup)
      }
    } catch .noGroup {
      return nil
    }
  }

  // MARK: Membership

  /// Checks that the executable is a member of the group.
  /// - Returns: The group's manifest.
  @discardableResult
  package func requireMembership() throws(VaultError) -> GroupManifest {
    try inTurn { () throws(VaultError) in try admittedManifest() }
  }

  /// Refuses an executable that is not a member. The command line, which administers every group,
  /// is exempt: a group whose manifest is missing must still be listed and signed out of.
  func admit() throws(VaultError) {
    try inTurn { () throws(VaultError) in try admitUnlocked() }
  }

  private func admitUnlocked() throws(VaultError) {
    if !configuration.isAdministrator { _ = try admittedManifest() }
  }

  private func admittedManifest() throws(VaultError) -> GroupManifest {
    if let admitted { return admitted }
    let manifest = try Membership(configuration).manifest()
    if !configuration.isAdministrator { admitted = manifest }
    return manifest
  }
}
