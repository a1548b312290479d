internal import TokenVaultCOpenSSL

/// Key memory: locked against swapping, left out of core dumps, wiped when released.
///
/// There is no way to copy it by accident; `clone()` makes a second one on purpose. It does not
/// print, and reading it is the one call `withUnsafeBytes`.
public struct SecretBytes: ~Copyable, Sendable {
  private let address: UInt
  /// How many bytes there are.
  public let count: Int

  /// `count` zero bytes, to be filled with `withUnsafeMutableBytes`.
  ///
  /// Throws `badParameters` for a negative count and `outOfMemory` when no memory can be locked.
  public init(count: Int) throws(CryptoError) {
    // Half the address space: above it rounding up to pages would overflow.
    guard (0...Int.max / 2).contains(count) else { throw .badParameters }
    address = try LockedMemory.shared.withLock { (memory) throws(CryptoError) in
      try memory.allocate(count)
    }
    self.count = count
  }

  /// `count` bytes written by `body`, which gets them as zeros.
  ///
  /// A body with an error type of its own uses `init(count:)` and `withUnsafeMutableBytes`.
  public init(
    count: Int, initializing body: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> Void
  ) throws(CryptoError) {
    var bytes = try SecretBytes(count: count)
    unsafe try bytes.withUnsafeMutableBytes(body)
    self = bytes
  }

  /// A copy of `bytes`, which the caller still has to wipe.
  public init(copying bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    unsafe try self.init(count: bytes.count) { unsafe $0.copyMemory(from: bytes) }
  }

  /// A copy of `bytes`, which stay behind in ordinary memory.
  public init(copying bytes: [UInt8]) throws(CryptoError) {
    unsafe try self.init(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
  }

  /// Fresh bytes from OpenSSL's generator for secrets.
  public static func random(count: Int) throws(CryptoError) -> SecretBytes {
    try OpenSSL.requireReady()
    return unsafe try SecretBytes(count: count) { (buffer) throws(CryptoError) in
      guard unsafe !buffer.isEmpty else { return }
      guard let length = Int32(exactly: buffer.count) else { throw .badParameters }
      let start = unsafe buffer.assumingMemoryBound(to: UInt8.self).baseAddress
      try OpenSSL.check(unsafe RAND_priv_bytes(start, length) == 1)
    }
  }

  deinit {
    LockedMemory.shared.withLock { $0.release(address, count) }
  }

  /// Lends the bytes for the length of `body`; what it copies out is its own to wipe.
  public borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    unsafe try body(
      UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
  }

  /// Lends the bytes for writing for the length of `body`.
  public mutating func withUnsafeMutableBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    unsafe try body(
      UnsafeMutableRawBufferPointer(
        start: UnsafeMutableRawPointer(bitPattern: address), count: count))
  }

  /// A second copy, in locked memory too.
  public borrowing func clone() throws(CryptoError) -> SecretBytes {
    unsafe try withUnsafeBytes { (bytes) throws(CryptoError) in
      unsafe try SecretBytes(copying: bytes)
    }
  }

  /// Compares in time that depends on the lengths alone.
  public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
    unsafe withUnsafeBytes { mine in
      unsafe other.withUnsafeBytes { unsafe ConstantTime.equal(mine, $0) }
    }
  }
}
