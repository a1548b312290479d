/// Why a key could not be had, kept or removed. No case carries a secret.
public enum CustodyError: Error, Equatable, Sendable {
  /// There is no session bus at the address, or no address.
  case noBus
  /// Nothing on the bus is, or could be started as, a Secret Service.
  case noService
  /// The Secret Service has no default collection.
  case noDefaultCollection
  /// What was asked for is, or may be, in a locked collection.
  case locked
  /// The user closed the prompt.
  case promptDismissed
  /// The collection is unlocked and has no key of this generation.
  case keyMissing(generation: UInt64)
  /// There is a key, but it is not 32 bytes, or the caller accepted none of those found.
  case wrongKey
  /// An item of this generation exists already; an item is never overwritten.
  case alreadyStored(generation: UInt64)
  /// The service said yes to a deletion, and the item is still there.
  case notDeleted(generation: UInt64)
  /// The service or the bus died in the middle of a call.
  case serviceGone
  /// The deadline ran out.
  case timedOut
  /// libsecret is not installed, or this is a static executable, which cannot load it.
  case libraryMissing
  /// The service answered with this D-Bus error name; empty when it has none.
  case refused(name: String)
  /// The answer is not what the protocol allows.
  case badAnswer
  /// The group is kept by passphrase, and none was given.
  case passphraseRequired
  /// There is no key file at the path.
  case keyFileMissing(path: String)
  /// The key file is there and must not be trusted.
  case keyFileUnsafe(path: String, reason: KeyFileFault)
  /// The key file could not be read or made.
  case keyFileUnreadable(path: String, errno: Int32)
  /// The text is no recovery code: wrong length, wrong character or a typing mistake.
  case badRecoveryCode
  /// The kernel keyring failed.
  case kernelKeyring(errno: Int32)
  /// A cryptographic operation failed, or its parameters are outside the allowed range.
  case crypto
}
