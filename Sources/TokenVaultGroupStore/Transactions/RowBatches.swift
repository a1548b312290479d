import Synchronization
import TokenVaultSystem

/// Rows of accounts on the way from the file to their views. The thread that reads the file adds
/// batches; it and a second thread open them.
final class RowBatches<View: Sendable>: Sendable {
  /// The result for one row.
  enum Outcome: Sendable {
    case opened(row: Int64, digest: [UInt8], View)
    case failed(StoreError)
  }

  /// Few enough that the second thread starts early, and so many that taking one costs nothing.
  static var size: Int { 128 }
  /// The reader opens a batch itself instead of reading further ahead.
  private static var mostWaiting: Int { 8 }

  private struct State {
    var waiting: [(number: Int, rows: [SealedAccount])] = []
    var results: [[Outcome]] = []
    var isComplete = false
  }

  private let view: @Sendable (ViewedAccount) -> View
  private let state = Mutex(State())
  /// Counts the batches that were added, and the end.
  private let news = Signal()
  private let ended = Signal()

  init(_ view: @escaping @Sendable (ViewedAccount) -> View) { self.view = view }

  /// Opens batches on another thread until ``results(openedWith:)`` has them all.
  /// - Parameter opener: used by no other thread.
  func help(with opener: RowOpener) {
    nonisolated(unsafe) let opener = opener
    Signal.onOtherThread { [self] in
      repeat {
        news.wait()
      } while unsafe openNext(with: opener) || !state.withLock { $0.isComplete }
      ended.send()
    }
  }

  func add(_ rows: [SealedAccount], openedWith opener: RowOpener) {
    let waiting = state.withLock { state in
      state.waiting.append((state.results.count, rows))
      state.results.append([])
      return state.waiting.count
    }
    news.send()
    if waiting > Self.mostWaiting { _ = openNext(with: opener) }
  }

  /// The outcomes of all rows in the order in which they were added.
  func results(openedWith opener: RowOpener, isHelped: Bool) -> [[Outcome]] {
    while openNext(with: opener) {}
    state.withLock { $0.isComplete = true }
    news.send()
    if isHelped { ended.wait() }
    return state.withLock { $0.results }
  }

  /// Returns false if no batch is waiting.
  private func openNext(with opener: RowOpener) -> Bool {
    let next = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    guard let next else { return false }
    let outcomes = next.rows.map { row in outcome(of: row, opener) }
    state.withLock { $0.results[next.number] = outcomes }
    return true
  }

  private func outcome(of row: SealedAccount, _ opener: RowOpener) -> Outcome {
    do {
      let account = try opener.view(row)
      return .opened(row: row.id, digest: try opener.digest(of: row), view(account))
    } catch { return .failed(error) }
  }
}
