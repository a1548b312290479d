import Glibc
import TokenVaultSystem

/// A lock that one process at a time can hold: an open file description lock on a dedicated file.
///
/// The kernel releases the lock when its holder dies. The lock file is never unlinked: a process
/// that still locks the unlinked file would not exclude one that locks its replacement.
package enum FileLock {
  /// Runs `body` while holding the lock.
  /// - Parameters:
  ///   - offset: the byte of the file to lock; nil locks the whole file.
  ///   - milliseconds: how long to wait for the lock.
  ///   - isUnwanted: ends the wait early when it returns true.
  /// - Throws: ``StoreError/busy`` when the wait ends without the lock, and what `body` throws.
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
      // F_OFD_SETLKW has no deadline, so this polls for the lock at growing intervals.
      while !(try SystemCalls.ofdLock(opened, exclusive: true, offset: offset)) {
        guard waited < milliseconds * 1000, !isUnwanted() else {
          close(opened)
          throw StoreError.busy
        }
        // The interval soon reaches its limit: with unbounded growth, an old waiter would lose to
        // every newcomer.
        let pause = min(2_000, 500 + waited / 8)
        usleep(UInt32(pause))
        let isLong = waited / 1000 >= LongWait.milliseconds
        waited += pause
        if !isLong, waited / 1000 >= LongWait.milliseconds { LongWait.lock.report() }
      }
    } catch let error as SystemCallError {
      close(opened)
      throw FileSafety.failed(error.call, error.errno, path: path)
    } catch { throw .busy }
    return opened
  }
}
