import Synchronization
import TokenVaultCrypto
import TokenVaultSystem

/// Rows of accounts on the way from the file to their views. The thread that reads the file adds
/// batches; it and a second thread open them.
final class RowBatches<View: Sendable>: Sendable {
  /// The rows of accounts, each with the node of the tree that has its digest.
  typealias Batch = [(row: SealedAccount, digests: DigestNode)]

  /// The result for one batch.
  struct Outcome: Sendable {
    /// The accounts that opened and are the present version of their row, in order.
    var views: [(row: Int64, view: View)] = []
    var damaged = 0
    /// An error other than damage.
    var failure: StoreError?
  }

  /// Few enough that the second thread starts early, and so many that taking one costs nothing.
  static var size: Int { 128 }
  /// The reader opens a batch itself instead of reading further ahead.
  private static var mostWaiting: Int { 8 }

  private struct State {
    var waiting: [(number: Int, batch: Batch)] = []
    var outcomes: [Outcome] = []
    var isComplete = false
  }

  private let view: @Sendable (ViewedAccount) -> View
  private let state = Mutex(State())
  /// Counts the batches that were added, and the end.
  private let news = Signal()
  private let ended = Signal()

  init(_ view: @escaping @Sendable (ViewedAccount) -> View) { self.view = view }

  /// Opens batches on another thread until ``outcomes(openedWith:isHelped:)`` has them all.
  /// - Parameter opener: used by no other thread.
  /// - Returns: Whether there can be another thread.
  func help(with opener: RowOpener) -> Bool {
    nonisolated(unsafe) let opener = opener
    return WorkerThread.start { [self] in
      repeat {
        news.wait()
      } while unsafe openNext(with: opener) || !state.withLock { $0.isComplete }
      ended.send()
    }
  }

  func add(_ batch: Batch, openedWith opener: RowOpener) {
    let waiting = state.withLock { state in
      state.waiting.append((state.outcomes.count, batch))
      state.outcomes.append(Outcome())
      return state.waiting.count
    }
    news.send()
    if waiting > Self.mostWaiting { _ = openNext(with: opener) }
  }

  /// The outcomes of all batches in the order in which they were added.
  func outcomes(openedWith opener: RowOpener, isHelped: Bool) -> [Outcome] {
    while openNext(with: opener) {}
    state.withLock { $0.isComplete = true }
    news.send()
    if isHelped { ended.wait() }
    return state.withLock { $0.outcomes }
  }

  /// Returns false if no batch is waiting.
  private func openNext(with opener: RowOpener) -> Bool {
    let next = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    guard let next else { return false }
    let outcome = outcome(of: next.batch, opener)
    state.withLock { $0.outcomes[next.number] = outcome }
    return true
  }

  private func outcome(of batch: Batch, _ opener: RowOpener) -> Outcome {
    var outcome = Outcome()
    outcome.views.reserveCapacity(batch.count)
    // The key of each account in turn.
    var key: SealingKey?
    for (row, digests) in batch {
      do throws(StoreError) {
        let account = try opener.view(row, key: &key)
        guard digests.has(try opener.digest(of: row), Int(row.id & 63)) else {
          throw StoreError.damaged(rows: 1)
        }
        outcome.views.append((row.id, view(account)))
      } catch {
        if case .damaged = error { outcome.damaged += 1 } else { outcome.failure = error }
      }
    }
    return outcome
  }
}
