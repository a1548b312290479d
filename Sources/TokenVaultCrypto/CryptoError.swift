/// The reason a cryptographic operation failed.
///
/// There are no details on purpose: an attacker who learns whether the tag, the key or the length
/// was wrong learns which guess came closer.
public enum CryptoError: Error, Equatable, Sendable {
  /// Authentication failed, or OpenSSL reported any other error.
  case failed
  /// No more memory can be locked (see `RLIMIT_MEMLOCK`). Keys never fall back to ordinary memory.
  case outOfMemory
  /// A parameter is outside the range that the function accepts.
  case badParameters
}
