import Glibc
import TokenVaultSystem

/// A lock that one process at a time holds, by an open file description's lock on a file of its own.
///
/// The kernel releases it when the holder dies. The file is never unlinked: a process that locked a
/// name which is gone would share the lock with nobody.
package enum FileLock {
  /// Runs `body` while the lock is held.
  /// - Parameters:
  ///   - offset: the byte of the file that stands for what is locked; nil for all of it.
  ///   - milliseconds: how long to wait for it; then ``StoreError/busy`` is thrown.
  ///   - isUnwanted: ends the wait with ``StoreError/busy`` when it says so.
  @discardableResult
  package static func hold<R>(
    _ path: String, offset: Int64? = nil, waiting milliseconds: Int,
    unless isUnwanted: () -> Bool = { false }, _ body: () throws -> R
  ) throws -> R {
    let descriptor = try acquire(path, offset, waiting: milliseconds, unless: isUnwanted)
    defer { close(descriptor) }
    return try body()
  }

  private static func acquire(
    _ path: String, _ offset: Int64?, waiting milliseconds: Int, unless isUnwanted: () -> Bool
  ) throws(StoreError) -> Int32 {
    let opened: Int32
    do {
      opened = try SystemCalls.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
    } catch { throw FileSafety.failed(error.call, error.errno, path: path) }
    do {
      var waited = 0
      // F_OFD_SETLKW has no deadline, so the lock is asked for at growing intervals.
      while !(try SystemCalls.ofdLock(opened, exclusive: true, offset: offset)) {
        guard waited < milliseconds * 1000, !isUnwanted() else {
          close(opened)
          throw StoreError.busy
        }
        // Soon the same for all: a wait that grew on would lose to each newcomer.
        let pause = min(2_000, 500 + waited / 8)
        usleep(UInt32(pause))
        waited += pause
      }
    } catch let error as SystemCallError {
      close(opened)
      throw FileSafety.failed(error.call, error.errno, path: path)
    } catch { throw .busy }
    return opened
  }
}
