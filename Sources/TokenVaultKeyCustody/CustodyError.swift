/// Why a key could not be retrieved, stored or deleted. No case carries a secret.
public enum CustodyError: Error, Equatable, Sendable {
  /// There is no session bus at the address, or no address.
  case noBus
  /// No Secret Service runs on the bus, and the bus cannot start one.
  case noService
  /// The Secret Service has no default collection.
  case noDefaultCollection
  /// The requested item is, or may be, in a locked collection.
  case locked
  /// The user closed the prompt.
  case promptDismissed
  /// The collection is unlocked and has no key of this generation.
  case keyMissing(generation: UInt64)
  /// The keyring has its part of the key, and the file at the path, which should have this device's
  /// part of it, does not exist or has another size.
  case devicePartMissing(path: String)
  /// The file at the path, which has this device's part of a key, could not be stored, or not be
  /// removed, or must not be trusted.
  case devicePartFailed(path: String)
  /// An item was found, but it is not a key of 32 bytes, or the caller accepted none of the keys
  /// found.
  case wrongKey
  /// No passphrase that the user gave opens the key slot.
  case wrongPassphrase
  /// An item of this generation exists already; an item is never overwritten.
  case alreadyStored(generation: UInt64)
  /// The service confirmed a deletion, but the item still exists.
  case notDeleted(generation: UInt64)
  /// The service confirmed that it stored or deleted an item of another program, but did not.
  case itemNotChanged
  /// The service or the bus ended during a call.
  case serviceGone
  /// The deadline passed.
  case timedOut
  /// libsecret is not installed, or this is a static executable, which cannot load it.
  case libraryMissing
  /// This process, or the machine, has too many files open to call libsecret.
  case tooManyOpenFiles
  /// The user, or the container, has too many processes and threads to call libsecret.
  case tooManyThreads
  /// The service answered with this D-Bus error name; empty when it has none.
  case refused(name: String)
  /// The answer violates the protocol.
  case badAnswer
  /// The group's custody is a passphrase, and none was given.
  case passphraseRequired
  /// There is no key file at the path.
  case keyFileMissing(path: String)
  /// The key file exists but must not be trusted.
  case keyFileUnsafe(path: String, reason: KeyFileFault)
  /// The key file could not be read or created.
  case keyFileUnreadable(path: String, errno: Int32)
  /// The text is not a recovery code: wrong length, wrong character or a typing mistake.
  case badRecoveryCode
  /// The kernel keyring failed.
  case kernelKeyring(errno: Int32)
  /// A cryptographic operation failed, or its parameters are outside the allowed range.
  case crypto
}
