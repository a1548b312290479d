/// What can go wrong with a group file. No case carries anything that a group keeps secret.
public enum StoreError: Error, Equatable, Sendable {
  /// There is no file at the path.
  case notFound(path: String)
  /// A file is already there.
  case exists(path: String)
  /// The path is not what a group file or its directory may be.
  case unsafe(path: String, reason: UnsafeReason)
  /// The file is no group file.
  case notAGroupFile(path: String)
  /// The file was written by a newer version of the format.
  case unsupportedVersion(UInt32)
  /// The content does not open or does not fit together; `rows` is the number of accounts that
  /// cannot be read, nil where that cannot be told.
  case damaged(rows: Int?)
  /// The key is not the group's key of this generation.
  case wrongKey
  /// Another process moved the group to another generation; open it again.
  case generationChanged
  /// The account was signed out, signed out and in again, or written by somebody else since it was
  /// read: read it again, in the transaction that writes.
  case accountGone
  /// A value is larger than `limit` bytes.
  case tooLarge(limit: Int)
  /// Other processes kept the group locked until the deadline.
  case busy
  /// The disk is full.
  case diskFull
  /// The file or its directory cannot be written.
  case readOnly(path: String)
  /// A system call or SQLite failed; `code` is an errno, or SQLite's extended code above 1000.
  case io(call: String, code: Int32)
  /// A cryptographic operation failed for want of memory or randomness.
  case crypto

  /// Why a path is refused.
  public enum UnsafeReason: Equatable, Sendable {
    /// It is a symbolic link.
    case symbolicLink
    /// It belongs to another user.
    case foreignOwner(uid: UInt32)
    /// Group or others may do something with it.
    case wideMode(UInt32)
    /// It is not a regular file, or its parent is not a directory.
    case wrongType
  }
}
