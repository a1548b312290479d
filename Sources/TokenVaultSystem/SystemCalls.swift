internal import TokenVaultCSystem
import Glibc

/// System calls that Swift cannot import, or whose errno must be kept.
package enum SystemCalls {
  /// Disables core files, the Swift runtime's crash reports, and ptrace by processes of the same
  /// user. A process that holds keys calls this first.
  package static func makeUndumpable() throws(SystemCallError) {
    try check(tv_make_undumpable(), "prctl")
  }

  /// Disables core files of this process, and ptrace by processes of the same user. Child processes
  /// and the program's signal handlers, such as those of a crash reporter, are not affected.
  package static func forbidTracing() throws(SystemCallError) {
    try check(tv_forbid_tracing(), "prctl")
  }

  /// Opens a file, always close-on-exec.
  /// - Returns: the descriptor, owned by the caller.
  package static func open(
    _ path: String, _ flags: Int32, mode: UInt32 = 0
  ) throws(SystemCallError) -> Int32 {
    try check(retried { unsafe tv_open(path, flags | O_CLOEXEC, mode) }, "open")
  }

  /// Checks that this process can open so many more files. GLib ends the process if it cannot open
  /// a file that it needs.
  /// - Throws: `EMFILE` or `ENFILE` if it cannot.
  package static func requireDescriptors(_ count: Int) throws(SystemCallError) {
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    for _ in 0..<count { opened.append(try open("/", O_RDONLY | O_DIRECTORY)) }
  }

  /// Reserves disk space for the `length` bytes after the end of a file, whose size stays as it is.
  package static func reserve(
    _ descriptor: Int32, after end: Int64, length: Int64
  ) throws(SystemCallError) {
    try check(retried { tv_reserve(descriptor, end, length) }, "fallocate")
  }

  /// The size that no file of this process may exceed; nil for none.
  package static var fileSizeLimit: Int64? {
    let limit = tv_file_size_limit()
    return limit < 0 ? nil : limit
  }

  /// Renames a file atomically; throws `EEXIST` if the new name is taken and `EINVAL` if the file
  /// system does not support this.
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
    // POSIX allows either of them for a conflicting lock.
    if failure == EAGAIN || failure == EACCES { return false }
    throw SystemCallError(errno: failure, call: "fcntl")
  }

  /// Accepts a pending connection, close-on-exec and non-blocking; nil if none is pending.
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

  /// Makes `posix_spawn` close every descriptor except 0, 1 and 2 in the new process.
  /// - Parameter actions: a `posix_spawn_file_actions_t`.
  /// - Returns: whether there was memory for it.
  package static func closeOtherDescriptors(_ actions: UnsafeMutableRawPointer) -> Bool {
    unsafe tv_spawn_close_from(actions, 3) == 0
  }

  /// The flag of `posix_spawn` that starts a new session.
  package static var spawnsSession: Int16 { tv_spawn_setsid }

  /// The size of the terminal of a descriptor; nil if it is not a terminal or has no size.
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
