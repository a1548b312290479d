import Glibc

/// The name `PATH.PID.new`, under which a new file is complete before it gets its own name.
package struct FileDraft {
  /// The path of the draft.
  package let path: String
  private let target: String

  /// The draft of this process for the file at `target`.
  package init(of target: String) {
    self.target = target
    path = "\(target).\(getpid()).new"
  }

  /// Removes the drafts that killed processes left beside the file. A draft may be an export with
  /// tokens in plaintext.
  package func removeLeftovers() {
    let start = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
    // absent is an answer: the new draft fails in the same directory, and reports the reason.
    do throws(SystemCallError) {
      for name in try SystemCalls.names(in: SystemCalls.directory(of: target))
      where Self.target(ofLeftover: name) == target[start...] {
        remove("\(target[..<start])\(name)")
      }
    } catch { return }
  }

  /// The name of the file whose draft a process left that has ended; nil for any other name.
  ///
  /// While another process or thread has the id of the one that has ended, the draft stays.
  ///
  /// A process in another PID namespace, which shares the directory, counts as ended. If its draft is
  /// removed, it fails to rename it, and reports that. So does a former process with the id of this one.
  package static func target(ofLeftover name: String) -> Substring? {
    guard name.hasSuffix(".new"), let dot = name.dropLast(4).lastIndex(of: "."),
      let process = pid_t(name[name.index(after: dot)...].dropLast(4)), process > 0,
      process == getpid() || (kill(process, 0) != 0 && errno == ESRCH)
    else { return nil }
    return name[..<dot]
  }

  /// Only a file that TokenVault may have made: a regular one of this user, that other users cannot
  /// read, or that has the mode of the file that it would have replaced.
  private func remove(_ leftover: String) {
    var (status, replaced) = (stat(), stat())
    guard unsafe lstat(leftover, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(),
      unsafe status.st_mode & 0o7777 == 0o600
        || (lstat(target, &replaced) == 0 && status.st_mode == replaced.st_mode)
    else { return }
    unsafe unlink(leftover)
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
