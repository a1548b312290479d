/// Why a cryptographic operation gave no result.
///
/// There are no details: whether a tag, a key or a length was wrong would tell an attacker which
/// guess came closer.
public enum CryptoError: Error, Equatable, Sendable {
  /// Authentication failed, or anything else went wrong.
  case failed
  /// No locked memory is left (see `RLIMIT_MEMLOCK`); a key is never put into ordinary memory.
  case outOfMemory
  /// The caller's parameters are outside what the function promises to take.
  case badParameters
}
