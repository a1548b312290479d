import Glibc
package import TokenVaultCrypto
internal import TokenVaultSystem

/// Derives key-encryption keys from a file of random bytes, for example a systemd credential.
package struct KeyFileCustodian: DerivingKeyCustodian {
  /// The file's content has full entropy.
  package static let newSlotCost: KeySlotParameters.Cost? = nil

  private static let info = Array("tokenvault key file".utf8)
  private static let sizes = 32...4096

  /// The file's path.
  package let path: String

  /// A custodian for the file at `path`, which is read for each key.
  package init(path: String) { self.path = path }

  /// The 32 bytes of HKDF-SHA-256 over the file's content and the slot's salt.
  ///
  /// The file is refused unless it is a regular file of 32 to 4,096 bytes that belongs to the user
  /// or root and that no one else may read or write.
  package func key(_ slot: KeySlotParameters) throws(CustodyError) -> SecretBytes {
    let content = try content()
    return try crypto(content) { (content) throws(CryptoError) in
      try KeyDerivation.hkdfSHA256(
        content, salt: slot.salt, info: Self.info, count: groupKeySize)
    }
  }

  /// The size of a file that ``create(path:)`` makes.
  package static let createdSize = 43

  /// Creates a key file of 32 random bytes in base64url, readable by its owner only.
  ///
  /// Throws `keyFileUnreadable` with `EEXIST` when the path exists: no key is overwritten.
  package static func create(path: String) throws(CustodyError) {
    let text = try crypto { () throws(CryptoError) in
      try Base64URL.encodeSecret(SecretBytes.random(count: groupKeySize))
    }
    let file = try open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    defer { close(file) }
    do throws(SystemCallError) {
      unsafe try text.withUnsafeBytes { (text) throws(SystemCallError) in
        unsafe try SystemCalls.writeAll(text, to: file)
      }
      // A group is made next, and its file must not survive a power cut that loses its key.
      guard fsync(file) == 0 else { throw SystemCallError(errno: errno, call: "fsync") }
    } catch {
      unsafe unlink(path)
      throw .keyFileUnreadable(path: path, errno: error.errno)
    }
  }

  private func content() throws(CustodyError) -> SecretBytes {
    // Not blocking: a pipe at the path must be refused, not waited for.
    let file = try Self.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    defer { close(file) }
    let size = try checkedSize(of: file)
    var content = try crypto { () throws(CryptoError) in try SecretBytes(count: size) }
    let count: Int
    do throws(SystemCallError) {
      count = unsafe try content.withUnsafeMutableBytes { (content) throws(SystemCallError) in
        unsafe try SystemCalls.readAll(file, into: content)
      }
    } catch {
      throw .keyFileUnreadable(path: path, errno: error.errno)
    }
    guard count == size else { throw .keyFileUnsafe(path: path, reason: .wrongSize) }
    return content
  }

  private func checkedSize(of file: Int32) throws(CustodyError) -> Int {
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else {
      throw .keyFileUnreadable(path: path, errno: errno)
    }
    let size = Int(status.st_size)
    let fault: KeyFileFault? =
      if status.st_mode & S_IFMT != S_IFREG {
        .notRegular
      } else if status.st_uid != geteuid() && status.st_uid != 0 {
        .notOwned
      } else if status.st_mode & 0o077 != 0 {
        .wideMode
      } else if !Self.sizes.contains(size) {
        .wrongSize
      } else {
        nil
      }
    if let fault { throw .keyFileUnsafe(path: path, reason: fault) }
    return size
  }

  private static func open(
    _ path: String, _ flags: Int32, mode: UInt32 = 0
  ) throws(CustodyError) -> Int32 {
    do throws(SystemCallError) {
      return try SystemCalls.open(path, flags, mode: mode)
    } catch {
      switch error.errno {
      case ENOENT: throw .keyFileMissing(path: path)
      case ELOOP: throw .keyFileUnsafe(path: path, reason: .symlink)
      default: throw .keyFileUnreadable(path: path, errno: error.errno)
      }
    }
  }
}
