import Dispatch
import Glibc
import TokenVaultGroupStore

/// Tells when something was written beside a path, by inotify(7): its descriptor can be read then.
package struct DirectoryWatch: ~Copyable {
  package let descriptor: Int32

  /// When to look again after something was written. A commit is seen by others when SQLite has
  /// changed its index in shared memory, which is after the log was written and synced, and which
  /// inotify does not tell: whoever looks at once may still see what was before, and nothing more
  /// is told.
  package static let pausesMilliseconds = [100, 1_000, 5_000]

  /// Begins to watch the directory of a path; it is made where there is none.
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

  /// Takes what there is to be read: what counts is what stands in the directory now.
  package func drain() { Self.drain(descriptor) }

  private static func drain(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while unsafe buffer.withUnsafeMutableBytes({
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }) > 0 {}
  }

  /// The stream has room for one event: the reader looks at what is there now, not at each event.
  static func events(beside path: String) -> AsyncThrowingStream<Void, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      do {
        let descriptor = try open(beside: path)
        // Dispatch sources may be used from any thread, though their type does not say so.
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
