/// Why a key file is not trusted.
public enum KeyFileFault: Equatable, Sendable {
  /// It belongs to somebody else than the user or root.
  case notOwned
  /// The group or others may read or write it.
  case wideMode
  /// It is a directory, a device, a pipe.
  case notRegular
  /// Its last path component is a symbolic link.
  case symlink
  /// It has fewer than 32 or more than 4,096 bytes.
  case wrongSize
}
