import Synchronization

/// A wish to end what another thread waits for. Whoever waits looks at it at least ten times a
/// second; asking for it is async-signal-safe.
public final class Cancellation: Sendable {
  private let flag = Atomic(false)

  /// A wish that nobody has yet.
  public init() {}

  /// Asks for the end.
  public func cancel() { flag.store(true, ordering: .relaxed) }

  /// Whether somebody asked for the end.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }
}
