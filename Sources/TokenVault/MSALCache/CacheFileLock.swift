import Glibc
import TokenVaultSystem

/// The lock that MSAL's extensions hold while they read or write a cache file: `FILE.lockfile`.
///
/// Those for Python, .NET and Go lock the file with `flock`; the one for Node creates it, and waits
/// while it exists. Each of them writes its process id and removes the file afterwards. This lock
/// excludes all of them.
package enum CacheFileLock {
  /// Runs `body` while holding the lock of the cache file at `path`.
  /// - Throws: ``VaultError/fileInUse(path:)`` if another program still holds the lock after that
  ///   time, and what `body` throws.
  package static func hold<R>(
    _ path: String, waiting milliseconds: Int, _ body: () throws(VaultError) -> R
  ) throws(VaultError) -> R {
    let lock = path + ".lockfile"
    let deadline = Deadline(milliseconds: milliseconds)
    let notice = Deadline(milliseconds: LongWait.milliseconds)
    var isReported = false
    var descriptor: Int32?
    do {
      while true {
        descriptor = try acquire(lock)
        guard descriptor == nil, !deadline.hasPassed else { break }
        if !isReported, notice.hasPassed {
          LongWait.lock.report()
          isReported = true
        }
        usleep(20_000)
      }
    } catch { throw .file(path: lock, call: error.call, errno: error.errno) }
    guard let descriptor else { throw .fileInUse(path: path) }
    defer {
      // Before the lock ends, as long as the name is certainly that of this file.
      unsafe unlink(lock)
      close(descriptor)
    }
    return try body()
  }

  /// - Returns: The locked file; nil while another program holds it.
  private static func acquire(_ path: String) throws(SystemCallError) -> Int32? {
    let descriptor = try SystemCalls.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
    do throws(SystemCallError) {
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isAt(path, descriptor),
        try !isHeldByExisting(descriptor)
      else {
        close(descriptor)
        return nil
      }
      try SystemCalls.truncate(descriptor, to: 0)
      guard lseek(descriptor, 0, SEEK_SET) == 0 else {
        throw SystemCallError(errno: errno, call: "lseek")
      }
      try SystemCalls.writeAll(Array("\(getpid()) tokenvault".utf8), to: descriptor)
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Whether the name is still that of the locked file: its former holder removes it.
  private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
    var (named, locked) = (stat(), stat())
    guard unsafe stat(path, &named) == 0, unsafe fstat(descriptor, &locked) == 0 else {
      return false
    }
    return named.st_ino == locked.st_ino && named.st_dev == locked.st_dev
  }

  /// Whether a running process wrote its id into the file without locking it, as MSAL for Node does.
  private static func isHeldByExisting(_ descriptor: Int32) throws(SystemCallError) -> Bool {
    let text = try SystemCalls.readAll(descriptor, limit: 4096, expected: 32) ?? []
    let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let process = pid_t(String(decoding: digits, as: UTF8.self)), process > 0 else {
      return false
    }
    return process != getpid() && (kill(process, 0) == 0 || errno == EPERM)
  }
}
