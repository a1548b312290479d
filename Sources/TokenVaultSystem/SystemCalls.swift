internal import TokenVaultCSystem
import Glibc

/// The system calls that Swift cannot import, and the ones whose errno must not get lost.
package enum SystemCalls {
  /// Takes the process out of reach of core files, of the runtime's crash reports and of ptrace by
  /// its own user: a process that holds keys calls it first.
  package static func makeUndumpable() throws(SystemCallError) {
    try check(tv_make_undumpable(), "prctl")
  }

  /// Opens a file, always close-on-exec.
  /// - Returns: the descriptor, owned by the caller.
  package static func open(
    _ path: String, _ flags: Int32, mode: UInt32 = 0
  ) throws(SystemCallError) -> Int32 {
    try check(retried { unsafe tv_open(path, flags | O_CLOEXEC, mode) }, "open")
  }

  /// Renames a file in one step, and fails with `EEXIST` where the new name is taken. A file system
  /// that cannot do it answers `EINVAL`.
  package static func renameToNew(_ from: String, _ to: String) throws(SystemCallError) {
    try check(unsafe tv_rename_new(from, to), "renameat2")
  }

  /// Tries to take an open-file-description lock over the whole file, or over the one byte at
  /// `offset` (which need not exist), without waiting.
  /// - Returns: whether it was acquired; false when another description holds it.
  package static func ofdLock(
    _ descriptor: Int32, exclusive: Bool, offset: Int64? = nil
  ) throws(SystemCallError) -> Bool {
    let type = Int16(exclusive ? F_WRLCK : F_RDLCK)
    if retried({ tv_ofd_lock(descriptor, type, offset ?? 0, offset == nil ? 0 : 1) }) == 0 {
      return true
    }
    let failure = errno
    // POSIX lets fcntl say either of them for a conflicting lock.
    if failure == EAGAIN || failure == EACCES { return false }
    throw SystemCallError(errno: failure, call: "fcntl")
  }

  /// Accepts a waiting connection, close-on-exec and non-blocking; nil where none waits.
  package static func accept(_ socket: Int32) -> Int32? {
    let client = retried { tv_accept(socket) }
    return client >= 0 ? client : nil
  }

  /// The user at the other end of a Unix socket.
  package static func peerUser(_ socket: Int32) throws(SystemCallError) -> UInt32 {
    var user: UInt32 = 0
    try check(unsafe tv_peer_user(socket, &user), "getsockopt")
    return user
  }

  /// The flag of `posix_spawn` for a session of its own.
  package static var spawnsSession: Int16 { tv_spawn_setsid }

  /// The size of the terminal behind a descriptor; nil where there is none, or it has no size.
  package static func windowSize(_ descriptor: Int32) -> (rows: Int, columns: Int)? {
    var (rows, columns) = (UInt16(0), UInt16(0))
    guard unsafe tv_window_size(descriptor, &rows, &columns) == 0, rows > 0, columns > 0 else {
      return nil
    }
    return (Int(rows), Int(columns))
  }

  /// Repeats a call for as long as a signal interrupts it.
  static func retried<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }

  @discardableResult
  private static func check(_ result: Int32, _ call: String) throws(SystemCallError) -> Int32 {
    if result == -1 { throw SystemCallError(errno: errno, call: call) }
    return result
  }
}
