import Dispatch
import Glibc
import TokenVaultGroupStore

/// Watches for writes to files beside a path, by inotify(7). Its descriptor becomes readable after
/// one.
package struct DirectoryWatch: ~Copyable {
  package let descriptor: Int32

  /// The delays, in milliseconds, after which to read the group again once a write was reported.
  /// Other processes see a commit only when SQLite has changed its index in shared memory. That
  /// happens after the log was written and synced, and inotify does not report it: a reader that
  /// looks at once may still see the old state and would not be notified again.
  package static let pausesMilliseconds = [100, 1_000, 5_000]

  /// Starts to watch the directory of a path, which is created if it does not exist.
  package init(beside path: String) throws { descriptor = try Self.open(beside: path) }

  deinit { close(descriptor) }

  private static func open(beside path: String) throws -> Int32 {
    let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    try FileSafety.makeDirectory(directory)
    let descriptor = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
    guard descriptor >= 0 else {
      throw VaultError.file(path: directory, call: "inotify_init1", errno: errno)
    }
    let mask = UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO)
    guard unsafe inotify_add_watch(descriptor, directory, mask) >= 0 else {
      let failure = errno
      close(descriptor)
      throw VaultError.file(path: directory, call: "inotify_add_watch", errno: failure)
    }
    return descriptor
  }

  /// Discards the pending events: only the present content of the directory matters.
  package func drain() { Self.drain(descriptor) }

  private static func drain(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while unsafe buffer.withUnsafeMutableBytes({
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }) > 0 {}
  }

  /// The stream buffers a single event: its reader looks at the present state and not at each
  /// event.
  static func events(beside path: String) -> AsyncThrowingStream<Void, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      do {
        let descriptor = try open(beside: path)
        // Dispatch sources may be used from any thread, although their type is not Sendable.
        let queue = DispatchQueue(label: "dev.tokenvault.changes")
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(
          fileDescriptor: descriptor, queue: queue)
        unsafe source.setEventHandler {
          drain(descriptor)
          continuation.yield()
          for pause in pausesMilliseconds {
            queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { continuation.yield() }
          }
        }
        unsafe source.setCancelHandler { close(descriptor) }
        continuation.onTermination = { _ in unsafe source.cancel() }
        unsafe source.resume()
      } catch {
        continuation.finish(throwing: error)
      }
    }
  }
}
