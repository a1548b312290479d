/// A sequence with an element for each change of a group by another process or another `Vault` of
/// this process.
struct GroupChanges: AsyncSequence, Sendable {
  let vault: Vault

  /// Creates an iterator, which starts to watch the group.
  func makeAsyncIterator() -> Iterator { Iterator(vault: vault) }

  /// Reports the changes since the first call of ``Iterator/next()``: data read after that call
  /// began is either up to date, or a change follows.
  struct Iterator: AsyncIteratorProtocol {
    private let vault: Vault
    private var events: AsyncThrowingStream<Void, any Error>.AsyncIterator
    private var mark: GroupSession.ChangeMark?
    private var isFirst = true

    init(vault: Vault) {
      self.vault = vault
      events = DirectoryWatch.events(beside: vault.session.configuration.groupPath)
        .makeAsyncIterator()
    }

    /// Waits for the next change; nil if the task was cancelled.
    /// - Throws: ``VaultError`` if the group can no longer be read or watched.
    mutating func next() async throws -> Void? {
      if isFirst {
        mark = try await vault.changeMark()
        isFirst = false
      }
      while try await events.next() != nil {
        let now = try await vault.changeMark()
        let before = mark
        mark = now
        guard now != before, before != nil || now?.isOwnWork != true else { continue }
        return ()
      }
      return nil
    }
  }
}
