internal import TokenVaultCSystem
import Glibc

/// Writes files that appear complete or not at all.
package enum WholeFile {
  /// The mode and the owner of a file.
  package struct Attributes: Equatable, Sendable {
    let mode: UInt32
    let user: UInt32
    let group: UInt32

    package init(mode: UInt32, user: UInt32, group: UInt32) {
      self.mode = mode
      self.user = user
      self.group = group
    }
  }

  /// Writes a file with mode 0600, or with the given attributes, and syncs its bytes to disk. With
  /// `replacing`, it takes the place
  /// of an existing file, which is kept until the new one is complete. The directory is not synced.
  ///
  /// The file has no name before it is complete, so that a killed process leaves nothing of it. No
  /// system call gives a nameless file a name that is taken, so replacing uses a second name,
  /// `PATH.PID.new`, for the duration of one rename. On a file system without nameless files the
  /// bytes are written under that name, or under the path itself.
  /// - Throws: `EEXIST` if the path is taken and `replacing` is false.
  package static func write(
    _ bytes: [UInt8], to path: String, replacing: Bool, like attributes: Attributes? = nil
  ) throws(SystemCallError) {
    let draft = "\(path).\(getpid()).new"
    /// The name to remove if a step fails.
    var name: String?
    // Left by a killed process that had the same process id.
    if replacing { unsafe unlink(draft) }
    let descriptor: Int32
    if let nameless = try openNameless(beside: path) {
      descriptor = nameless
    } else {
      let place = replacing ? draft : path
      descriptor = try SystemCalls.open(
        place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
      name = place
    }
    defer { close(descriptor) }
    do throws(SystemCallError) {
      try SystemCalls.writeAll(bytes, to: descriptor)
      if let attributes { try set(attributes, of: descriptor) }
      guard fsync(descriptor) == 0 else { throw SystemCallError(errno: errno, call: "fsync") }
      if name == nil {
        do { try link(descriptor, path) } catch {
          guard replacing, error.errno == EEXIST else { throw error }
          try link(descriptor, draft)
          name = draft
        }
      }
      if let name, replacing, unsafe rename(name, path) != 0 {
        throw SystemCallError(errno: errno, call: "rename")
      }
    } catch {
      if let name { unsafe unlink(name) }
      throw error
    }
  }

  private static func set(
    _ attributes: Attributes, of descriptor: Int32
  ) throws(SystemCallError) {
    // A change of the owner clears bits of the mode, so the mode comes second.
    if attributes.user != geteuid() || attributes.group != getegid(),
      fchown(descriptor, attributes.user, attributes.group) != 0
    {
      throw SystemCallError(errno: errno, call: "fchown")
    }
    guard fchmod(descriptor, attributes.mode) == 0 else {
      throw SystemCallError(errno: errno, call: "fchmod")
    }
  }

  /// nil if the file system has no nameless files.
  private static func openNameless(beside path: String) throws(SystemCallError) -> Int32? {
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    do { return try SystemCalls.open(directory, O_WRONLY | tv_o_tmpfile, mode: 0o600) } catch {
      // Kernels that do not know the flag return EISDIR, some file systems EINVAL.
      guard [EOPNOTSUPP, EISDIR, EINVAL].contains(error.errno) else { throw error }
      return nil
    }
  }

  private static func link(_ descriptor: Int32, _ path: String) throws(SystemCallError) {
    guard
      unsafe linkat(
        AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    else { throw SystemCallError(errno: errno, call: "linkat") }
  }
}
