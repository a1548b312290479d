/// An element for each change of a group by somebody else.
public struct GroupChanges: AsyncSequence, Sendable {
  /// The group changed: what was read from it before may be out of date.
  public struct Change: Sendable {}
  /// One change.
  public typealias Element = Change

  let vault: Vault

  /// Begins to watch.
  public func makeAsyncIterator() -> Iterator { Iterator(vault: vault) }

  /// Watches from the first call of ``Iterator/next()`` on: what is read after it was begun is
  /// either up to date or told of.
  public struct Iterator: AsyncIteratorProtocol {
    private let vault: Vault
    private var events: AsyncThrowingStream<Void, any Error>.AsyncIterator
    private var mark: GroupSession.ChangeMark?
    private var isFirst = true

    init(vault: Vault) {
      self.vault = vault
      events = DirectoryWatch.events(beside: vault.session.configuration.groupPath)
        .makeAsyncIterator()
    }

    /// Waits for the next change; nil when the task was cancelled.
    /// - Throws: ``VaultError`` when the group can no longer be read or watched.
    public mutating func next() async throws -> Change? {
      if isFirst {
        mark = try await vault.changeMark()
        isFirst = false
      }
      while try await events.next() != nil {
        let now = try await vault.changeMark()
        let before = mark
        mark = now
        guard now != before, before != nil || now?.isOwnWork != true else { continue }
        return Change()
      }
      return nil
    }
  }
}
