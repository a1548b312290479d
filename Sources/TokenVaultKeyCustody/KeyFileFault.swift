/// Why a key file is not trusted.
public enum KeyFileFault: Equatable, Sendable {
  /// It belongs to neither the user nor root.
  case notOwned
  /// The group or others may read or write it.
  case wideMode
  /// It is not a regular file but, for example, a directory, a device or a pipe.
  case notRegular
  /// Its last path component is a symbolic link.
  case symlink
  /// It has fewer than 32 or more than 4,096 bytes.
  case wrongSize
}
