/// An error from reading or writing a group file. No case carries anything that a group keeps
/// secret.
public enum StoreError: Error, Equatable, Sendable {
  /// There is no file at the path.
  case notFound(path: String)
  /// A file is already there.
  case exists(path: String)
  /// The group file or its directory is not safe to use.
  case unsafe(path: String, reason: UnsafeReason)
  /// The file is not a group file.
  case notAGroupFile(path: String)
  /// The file has this newer format version.
  case unsupportedVersion(UInt32)
  /// The content does not authenticate or is inconsistent. `rows` is the number of accounts that
  /// cannot be read, or nil if it is unknown.
  case damaged(rows: Int?)
  /// The key is not the group's key for this generation.
  case wrongKey
  /// Another process moved the group to another generation. Open the group again.
  case generationChanged
  /// Since the account was read, it was signed out, signed out and in again, or changed by another
  /// process. Read it again, in the transaction that writes it.
  case accountGone
  /// A value is larger than `limit` bytes.
  case tooLarge(limit: Int)
  /// Another process kept the group locked until the deadline.
  case busy
  /// The disk is full.
  case diskFull
  /// The file or its directory cannot be written.
  case readOnly(path: String)
  /// The directory cannot be created.
  case notMade(path: String, errno: Int32)
  /// A system call or SQLite failed. `code` is an errno value, or 1000 plus SQLite's extended
  /// result code.
  case io(call: String, code: Int32)
  /// A cryptographic operation failed because memory or randomness ran out.
  case crypto

  /// The reason why a path is not safe to use.
  public enum UnsafeReason: Equatable, Sendable {
    /// It is a symbolic link.
    case symbolicLink
    /// It belongs to another user, with this user id.
    case foreignOwner(uid: UInt32)
    /// Its mode, given here, grants permissions to the group or to others.
    case wideMode(UInt32)
    /// It is not a regular file, or its parent is not a directory.
    case wrongType
    /// It is on a network file system.
    case networkFileSystem
  }
}
