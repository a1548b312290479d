import Synchronization

/// A wait that can take seconds. A program that talks to a person observes such waits, and says what
/// it waits for; a library does not.
package enum LongWait: Hashable, Sendable {
  /// Another process holds a lock.
  case lock
  /// The Secret Service, which may show a prompt.
  case secretService
  /// The server with this host name.
  case server(String)

  /// The silence after which a wait is reported, in milliseconds.
  package static let milliseconds = 3_000

  package typealias Observer = @Sendable (LongWait) -> Void

  private static let observer = Mutex<Observer?>(nil)

  /// Sets the observer of this process; nil for none.
  package static func observe(_ new: Observer?) { observer.withLock { $0 = new } }

  /// Whether there is an observer. Without one, nothing measures how long a wait takes.
  package static var isObserved: Bool { observer.withLock { $0 != nil } }

  /// Reports the wait, which has lasted for ``milliseconds``.
  package func report() { Self.observer.withLock { $0 }?(self) }
}
