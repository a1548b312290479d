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

  /// Writes a file with mode 0600, or with the given attributes, durably: after a power cut it is
  /// complete and has its name. With `replacing`, it takes the place of an existing file, which is
  /// kept until the new one is complete.
  ///
  /// The file has no name before it is complete, so that a killed process leaves nothing of it. No
  /// system call gives a nameless file a name that is taken, so replacing uses a ``FileDraft`` for
  /// the duration of one rename. On a file system without nameless files the bytes are written to
  /// the draft, as without /proc, through which a file gets its name. The next write removes a draft
  /// that a killed process left, unless `removingLeftovers` is false.
  /// - Throws: `EEXIST` if the path is taken and `replacing` is false. Without `replacing`, an error
  ///   leaves no file. With it, the file may be the new one if the call is `fsync`.
  package static func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, replacing: Bool,
    like attributes: Attributes? = nil, removingLeftovers: Bool = true
  ) throws(SystemCallError) {
    let draft = FileDraft(of: path)
    if removingLeftovers { draft.removeLeftovers() }
    let directory = try SystemCalls.openDirectory(SystemCalls.directory(of: path))
    defer { close(directory) }
    let nameless = try openNameless(beside: path)
    let descriptor =
      if let nameless {
        nameless
      } else {
        try draft.create()
      }
    defer { close(descriptor) }
    do throws(SystemCallError) {
      unsafe try SystemCalls.writeAll(bytes, to: descriptor)
      if let attributes { try set(attributes, of: descriptor) }
      try SystemCalls.sync(descriptor)
      if nameless == nil {
        try draft.publish(replacing: replacing)
      } else {
        try name(descriptor, path, draft, replacing: replacing)
      }
    } catch {
      unsafe unlink(draft.path)
      throw error
    }
    do throws(SystemCallError) { try SystemCalls.sync(directory) } catch {
      if !replacing { unsafe unlink(path) }
      throw error
    }
  }

  /// Writes a file as the other method of this name does.
  package static func write(
    _ bytes: [UInt8], to path: String, replacing: Bool, like attributes: Attributes? = nil
  ) throws(SystemCallError) {
    unsafe try bytes.withUnsafeBytes { bytes in
      Result { () throws(SystemCallError) in
        unsafe try write(bytes, to: path, replacing: replacing, like: attributes)
      }
    }.get()
  }

  /// Gives a nameless file its name.
  private static func name(
    _ descriptor: Int32, _ path: String, _ draft: FileDraft, replacing: Bool
  ) throws(SystemCallError) {
    do { try link(descriptor, path) } catch {
      guard replacing, error.errno == EEXIST else { throw error }
      FileDraft.lock(descriptor)
      try link(descriptor, draft.path)
      try draft.publish(replacing: true)
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

  /// nil if the file system has no nameless files, or if a file could not get a name.
  private static func openNameless(beside path: String) throws(SystemCallError) -> Int32? {
    guard unsafe access("/proc/self/fd", X_OK) == 0 else { return nil }
    let directory = SystemCalls.directory(of: path)
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
