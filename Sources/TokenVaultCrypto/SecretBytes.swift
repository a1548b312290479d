internal import TokenVaultCOpenSSL

/// Secret bytes in memory that is locked against swapping, excluded from core dumps, and wiped when
/// it is released.
///
/// The type is not copyable; `clone()` makes an explicit copy. It does not print its content, and
/// `withUnsafeBytes` is the only way to read it.
public struct SecretBytes: ~Copyable, Sendable {
  private let address: UInt
  /// The number of bytes.
  public let count: Int

  /// Allocates `count` zero bytes; fill them with `withUnsafeMutableBytes`.
  /// - Throws: `badParameters` if `count` is negative, `outOfMemory` if no memory can be locked.
  public init(count: Int) throws(CryptoError) {
    // Above half the address space, rounding up to whole pages would overflow.
    guard (0...Int.max / 2).contains(count) else { throw .badParameters }
    address = try LockedMemory.shared.withLock { (memory) throws(CryptoError) in
      try memory.allocate(count)
    }
    self.count = count
  }

  /// Allocates `count` zero bytes and lets `body` fill them.
  ///
  /// For a body that throws another error type, use `init(count:)` and `withUnsafeMutableBytes`.
  public init(
    count: Int, initializing body: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> Void
  ) throws(CryptoError) {
    var bytes = try SecretBytes(count: count)
    unsafe try bytes.withUnsafeMutableBytes(body)
    self = bytes
  }

  /// Copies `bytes`. Wiping the original is up to the caller.
  public init(copying bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    unsafe try self.init(count: bytes.count) { unsafe $0.copyMemory(from: bytes) }
  }

  /// Copies `bytes`. The original stays in ordinary memory.
  public init(copying bytes: [UInt8]) throws(CryptoError) {
    unsafe try self.init(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
  }

  /// Returns `count` fresh bytes from OpenSSL's private random generator.
  package static func random(count: Int) throws(CryptoError) -> SecretBytes {
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

  /// Calls `body` with the bytes. The pointer is valid only during the call; wiping any copy that
  /// `body` makes is up to the caller.
  package borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    unsafe try body(
      UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
  }

  /// Calls `body` with the bytes for writing. The pointer is valid only during the call.
  package mutating func withUnsafeMutableBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    unsafe try body(
      UnsafeMutableRawBufferPointer(
        start: UnsafeMutableRawPointer(bitPattern: address), count: count))
  }

  /// Copies the bytes into a second allocation of locked memory.
  package borrowing func clone() throws(CryptoError) -> SecretBytes {
    unsafe try withUnsafeBytes { (bytes) throws(CryptoError) in
      unsafe try SecretBytes(copying: bytes)
    }
  }

  /// Whether both hold the same bytes. The time taken depends only on their lengths.
  package borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
    unsafe withUnsafeBytes { mine in
      unsafe other.withUnsafeBytes { unsafe ConstantTime.equal(mine, $0) }
    }
  }
}
