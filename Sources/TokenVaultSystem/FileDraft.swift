import Glibc

/// The name `PATH.PID.new`, under which a new file is complete before it gets its own name.
///
/// Its process locks the draft with `flock`, and the kernel ends the lock with the process. So a
/// draft that can be locked is a leftover. The process ID does not tell: another process can have it
/// by now, and a process in another container has another one there.
package struct FileDraft {
  /// The path of the draft.
  package let path: String
  private let target: String

  /// The draft of this process for the file at `target`.
  package init(of target: String) {
    self.target = target
    path = "\(target).\(getpid()).new"
  }

  /// Creates the draft, empty, with mode 0600 and open for reading and writing. It is locked until
  /// you close the descriptor; keep it open until the draft has the name of the file.
  /// - Throws: `EEXIST` if there is a draft of this name.
  package func create() throws(SystemCallError) -> Int32 {
    while true {
      let descriptor = try SystemCalls.open(
        path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
      Self.lock(descriptor)
      var status = stat()
      // Another process can have taken it for a leftover before it was locked.
      if unsafe fstat(descriptor, &status) != 0 || status.st_nlink > 0 { return descriptor }
      close(descriptor)
    }
  }

  /// Locks a file that becomes a draft. A file system without locks leaves it as it is: there, the
  /// process ID tells a draft from a leftover.
  static func lock(_ descriptor: Int32) {
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
  }

  /// Removes the drafts that killed processes left beside the file. A draft may be an export with
  /// tokens in plaintext.
  package func removeLeftovers() {
    let start = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
    // absent is an answer: the new draft fails in the same directory, and reports the reason.
    do throws(SystemCallError) {
      for name in try SystemCalls.names(in: SystemCalls.directory(of: target)) {
        guard let (file, _) = Self.parts(of: name), file == target[start...] else { continue }
        Self.removeLeftover("\(target[..<start])\(name)")
      }
    } catch { return }
  }

  /// Removes the draft at the path if its process has ended.
  /// - Returns: Whether it was removed.
  @discardableResult
  package static func removeLeftover(_ path: String) -> Bool {
    whileLocked(path) { unsafe unlink(path) == 0 }
  }

  /// Whether the file at the path is a draft of a process that has ended: it has the name of a
  /// draft, is a regular file of this user that is not locked, and other users cannot read it, or it
  /// has the mode of the file that it would have replaced.
  package static func isLeftover(_ path: String) -> Bool { whileLocked(path) { true } }

  /// Locks the file at the path, and calls `body` if it is a leftover.
  /// - Returns: The result of `body`; false if the file is no leftover.
  private static func whileLocked(_ path: String, _ body: () -> Bool) -> Bool {
    guard let (target, process) = parts(of: path), let before = fileStatus(path),
      mayBeDraft(before, of: String(target)),
      let descriptor = opened(path)
    else { return false }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno != EWOULDBLOCK, process == getpid() || (kill(process, 0) != 0 && errno == ESRCH)
      else { return false }
    }
    // The writer may have published it since, and begun another one.
    var locked = stat()
    guard unsafe fstat(descriptor, &locked) == 0, let now = fileStatus(path),
      now.st_ino == locked.st_ino, now.st_dev == locked.st_dev
    else { return false }
    return body()
  }

  private static func opened(_ path: String) -> Int32? {
    // absent is an answer: the file has gone since, or this process cannot read it.
    do { return try SystemCalls.open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW) } catch {
      return nil
    }
  }

  /// The name of the file and the process ID in the name of a draft; nil for any other name.
  private static func parts(of name: String) -> (target: Substring, process: pid_t)? {
    guard name.hasSuffix(".new"), let dot = name.dropLast(4).lastIndex(of: "."),
      let process = pid_t(name[name.index(after: dot)...].dropLast(4)), process > 0
    else { return nil }
    return (name[..<dot], process)
  }

  /// Whether TokenVault may have made the file.
  private static func mayBeDraft(_ status: stat, of target: String) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
      && (status.st_mode & 0o7777 == 0o600 || status.st_mode == fileStatus(target)?.st_mode)
  }

  /// The status of the file, or of the link, at the path; nil if there is none.
  private static func fileStatus(_ path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }

  /// Gives the draft the name of the file.
  /// - Throws: `EEXIST` if the name is taken and `replacing` is false.
  package func publish(replacing: Bool) throws(SystemCallError) {
    if replacing {
      guard unsafe rename(path, target) == 0 else {
        throw SystemCallError(errno: errno, call: "rename")
      }
      return
    }
    do { try SystemCalls.renameToNew(path, target) } catch {
      // A file system that cannot rename without replacing.
      guard [EINVAL, ENOSYS].contains(error.errno) else { throw error }
      guard unsafe link(path, target) == 0 else {
        throw SystemCallError(errno: errno, call: "link")
      }
      unsafe unlink(path)
    }
  }
}
