internal import TokenVaultCOpenSSL

/// An AES-256-GCM key. It keeps its key schedule, so sealing thousands of values is cheap.
///
/// A sealed value is nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes). Each seal uses a fresh random
/// nonce, which is safe for 2^32 seals under one key (NIST SP 800-38D, section 8.3).
///
/// Not `Sendable`: use it from one thread. OpenSSL keeps the key schedule in ordinary memory and
/// wipes it when the key is released.
@safe package final class SealingKey {
  /// The number of bytes that sealing adds to a plaintext.
  package static let overhead = nonceSize + tagSize

  private static let keySize = 32
  private static let nonceSize = 12
  private static let tagSize = 16

  private let context: OpaquePointer

  /// Creates a sealing key from exactly 32 bytes.
  /// - Throws: `badParameters` for any other count.
  package init(_ key: borrowing SecretBytes) throws(CryptoError) {
    unsafe context = try OpenSSL.found(EVP_CIPHER_CTX_new())
    unsafe try use(key, of: OpenSSL.aes256GCM())
  }

  /// Puts another key of exactly 32 bytes into the place of this one, whose schedule is overwritten. A
  /// listing opens each row with a key of its own, and making one costs more than using it.
  /// - Throws: `badParameters` for any other count.
  package func replace(with key: borrowing SecretBytes) throws(CryptoError) {
    unsafe try use(key, of: nil)
  }

  /// - Parameter cipher: nil for the one that the context has.
  private func use(
    _ key: borrowing SecretBytes, of cipher: OpaquePointer?
  ) throws(CryptoError) {
    guard key.count == Self.keySize else { throw .badParameters }
    let status = unsafe key.withUnsafeBytes { key in
      unsafe EVP_CipherInit_ex2(
        context, cipher, key.assumingMemoryBound(to: UInt8.self).baseAddress, nil, 1, nil)
    }
    try OpenSSL.check(status == 1)
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Seals `plaintext` and authenticates `associatedData`, which is not part of the result.
  package func seal(
    _ plaintext: UnsafeRawBufferPointer, associatedData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    unsafe try seal(
      plaintext, associatedData: associatedData, nonce: RandomBytes.make(Self.nonceSize))
  }

  /// Seals `plaintext` and authenticates `associatedData`, which is not part of the result.
  package func seal(
    _ plaintext: [UInt8], associatedData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    try seal(plaintext, associatedData: associatedData, nonce: RandomBytes.make(Self.nonceSize))
  }

  /// Wraps a key: seals it without a copy in ordinary memory, and authenticates `associatedData`.
  package func seal(
    _ key: borrowing SecretBytes, associatedData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    unsafe try key.withUnsafeBytes { (key) throws(CryptoError) in
      unsafe try seal(key, associatedData: associatedData)
    }
  }

  /// Opens a value that `seal` made with the same key and associated data.
  /// - Throws: `failed` for any other value.
  package func open(_ sealed: [UInt8], associatedData: [UInt8]) throws(CryptoError) -> [UInt8] {
    var plaintext = [UInt8](repeating: 0, count: try Self.plaintextSize(sealed))
    let isAuthentic = unsafe plaintext.withUnsafeMutableBytes {
      unsafe decrypt(sealed, associatedData, into: $0)
    }
    try OpenSSL.check(isAuthentic)
    return plaintext
  }

  /// Unwraps a key: like `open`, but the plaintext never leaves locked memory.
  package func openSecret(
    _ sealed: [UInt8], associatedData: [UInt8]
  ) throws(CryptoError) -> SecretBytes {
    unsafe try SecretBytes(count: Self.plaintextSize(sealed)) { (plaintext) throws(CryptoError) in
      try OpenSSL.check(unsafe decrypt(sealed, associatedData, into: plaintext))
    }
  }

  /// The size of a wrapped key of 32 bytes.
  package static let wrappedKeySize = keySize + overhead

  /// Wraps keys of 32 bytes under this key that `former` has wrapped. Each is opened in the same locked
  /// memory, and all nonces are requested at once: a request costs as much as the wrapping.
  /// - Parameters:
  ///   - keys: the wrapped keys, one after the other without a space; each is replaced in its place.
  ///   - associatedData: receives the number of each key and the associated data of the key before it,
  ///     which is empty at first, and changes the data into that of this key.
  /// - Returns: The numbers of the keys that do not authenticate. Their bytes are unchanged.
  package func rewrap(
    _ keys: inout [UInt8], from former: SealingKey,
    associatedData: (Int, inout [UInt8]) -> Void
  ) throws(CryptoError) -> [Int] {
    let size = Self.wrappedKeySize
    let nonces = try RandomBytes.make(keys.count / size * Self.nonceSize)
    var failures: [Int] = []
    var data: [UInt8] = []
    _ = unsafe try SecretBytes(count: Self.keySize) { (key) throws(CryptoError) in
      let isSealed = unsafe keys.withUnsafeMutableBufferPointer { keys in
        unsafe nonces.withUnsafeBufferPointer { nonces in
          guard let start = keys.baseAddress, let nonce = nonces.baseAddress else { return true }
          for number in 0..<keys.count / size {
            associatedData(number, &data)
            let wrapped = unsafe start + number * size
            guard unsafe former.decrypt(wrapped, data, into: key) else {
              failures.append(number)
              continue
            }
            guard
              unsafe seal(
                UnsafeRawBufferPointer(key), data, nonce + number * Self.nonceSize, into: wrapped)
            else { return false }
          }
          return true
        }
      }
      try OpenSSL.check(isSealed)
    }
    return failures
  }

  /// Seals with a given nonce, for published test vectors. Reusing a nonce breaks GCM: an attacker
  /// can forge tags and learns the XOR of the plaintexts.
  func seal(
    _ plaintext: [UInt8], associatedData: [UInt8], nonce: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    // `Array.withUnsafeBytes` loses the type of the thrown error; `Result` keeps it.
    let result = unsafe plaintext.withUnsafeBytes { plaintext in
      Result { () throws(CryptoError) in
        unsafe try seal(plaintext, associatedData: associatedData, nonce: nonce)
      }
    }
    return try result.get()
  }

  private func seal(
    _ plaintext: UnsafeRawBufferPointer, associatedData: [UInt8], nonce: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    guard
      nonce.count == Self.nonceSize, associatedData.count <= Int(Int32.max),
      plaintext.count <= Int(Int32.max) - Self.overhead
    else { throw .badParameters }
    var sealed = [UInt8](repeating: 0, count: plaintext.count + Self.overhead)
    let isSealed = unsafe sealed.withUnsafeMutableBufferPointer { sealed in
      unsafe nonce.withUnsafeBufferPointer { nonce in
        guard let start = sealed.baseAddress, let nonce = nonce.baseAddress else { return false }
        return unsafe seal(plaintext, associatedData, nonce, into: start)
      }
    }
    try OpenSSL.check(isSealed)
    return sealed
  }

  /// Writes the sealed value, which begins with the nonce, to `sealed`, which does not overlap the
  /// plaintext.
  private func seal(
    _ plaintext: UnsafeRawBufferPointer, _ associatedData: [UInt8], _ nonce: UnsafePointer<UInt8>,
    into sealed: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    var length: Int32 = 0
    unsafe sealed.update(from: nonce, count: Self.nonceSize)
    let output = unsafe sealed + Self.nonceSize
    return unsafe begin(nonce, associatedData, encrypting: true)
      && (plaintext.isEmpty
        || EVP_CipherUpdate(
          context, output, &length,
          plaintext.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(plaintext.count)) == 1)
      && EVP_CipherFinal_ex(context, output + plaintext.count, &length) == 1
      && EVP_CIPHER_CTX_ctrl(
        context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), output + plaintext.count) == 1
  }

  private static func plaintextSize(_ sealed: [UInt8]) throws(CryptoError) -> Int {
    // A value that is too short was truncated, so it fails to authenticate.
    guard (overhead...Int(Int32.max)).contains(sealed.count) else { throw .failed }
    return sealed.count - overhead
  }

  /// Decrypts into `plaintext`. Returns false if `sealed` does not authenticate, and then fills
  /// `plaintext` with zeros, so that unauthenticated plaintext is never released.
  func decrypt(
    _ sealed: [UInt8], _ associatedData: [UInt8], into plaintext: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard associatedData.count <= Int(Int32.max) else { return false }
    return unsafe sealed.withUnsafeBufferPointer { sealed in
      guard let start = sealed.baseAddress else { return false }
      return unsafe decrypt(start, associatedData, into: plaintext)
    }
  }

  /// - Parameter sealed: as many bytes as the plaintext has, and ``overhead``.
  private func decrypt(
    _ sealed: UnsafePointer<UInt8>, _ associatedData: [UInt8],
    into plaintext: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let output = unsafe plaintext.assumingMemoryBound(to: UInt8.self).baseAddress
    let ciphertext = unsafe sealed + Self.nonceSize
    var length: Int32 = 0
    var none: UInt8 = 0
    let isAuthentic =
      unsafe begin(sealed, associatedData, encrypting: false)
      && (plaintext.isEmpty
        || EVP_CipherUpdate(context, output, &length, ciphertext, Int32(plaintext.count)) == 1)
      && EVP_CIPHER_CTX_ctrl(
        context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize),
        UnsafeMutablePointer(mutating: ciphertext + plaintext.count)) == 1
      && EVP_CipherFinal_ex(context, &none, &length) == 1
    if !isAuthentic { unsafe OPENSSL_cleanse(plaintext.baseAddress, plaintext.count) }
    return isAuthentic
  }

  /// GCM uses the forward cipher both to encrypt and to decrypt, so one key schedule serves both.
  private func begin(
    _ nonce: UnsafePointer<UInt8>, _ associatedData: [UInt8], encrypting: Bool
  ) -> Bool {
    var length: Int32 = 0
    return unsafe EVP_CipherInit_ex2(context, nil, nil, nonce, encrypting ? 1 : 0, nil) == 1
      && (associatedData.isEmpty
        || EVP_CipherUpdate(
          context, nil, &length, associatedData, Int32(associatedData.count)) == 1)
  }
}
