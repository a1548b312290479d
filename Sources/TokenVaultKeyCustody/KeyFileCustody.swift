import Glibc
internal import TokenVaultSystem
public import TokenVaultCrypto

/// Derives a key-encryption key, which opens the key slot in the group file, from a file of
/// random bytes, for example a systemd credential.
public enum KeyFileCustody {
  private static let info = Array("tokenvault key file".utf8)
  private static let sizes = 32...4096

  /// The 32 bytes of HKDF-SHA-256 over the file's content.
  ///
  /// The file is refused unless it is a regular one of 32 to 4,096 bytes that belongs to the user
  /// or root and that nobody else may read or write.
  public static func keyEncryptionKey(
    path: String, salt: [UInt8]
  ) throws(CustodyError) -> SecretBytes {
    let content = try content(path)
    return try crypto(content) { (content) throws(CryptoError) in
      try KeyDerivation.hkdfSHA256(content, salt: salt, info: info, count: groupKeySize)
    }
  }

  /// Makes a key file of 32 random bytes in base64url, readable by its owner only.
  ///
  /// Throws `keyFileUnreadable` with `EEXIST` when the path exists: no key is overwritten.
  public static func create(path: String) throws(CustodyError) {
    let text = try crypto { () throws(CryptoError) in
      try Base64URL.encodeSecret(SecretBytes.random(count: groupKeySize))
    }
    let file = try open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    defer { close(file) }
    // fsync, for a group is made right after, and its file would outlive a lost key.
    let written = unsafe text.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    guard written == text.count, fsync(file) == 0 else {
      let failure = written < 0 || written == text.count ? errno : ENOSPC
      unsafe unlink(path)
      throw .keyFileUnreadable(path: path, errno: failure)
    }
  }

  private static func content(_ path: String) throws(CustodyError) -> SecretBytes {
    // Not blocking: a pipe at the path must be refused, not waited for.
    let file = try open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    defer { close(file) }
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
      } else if !sizes.contains(size) {
        .wrongSize
      } else {
        nil
      }
    if let fault { throw .keyFileUnsafe(path: path, reason: fault) }

    var content = try crypto { () throws(CryptoError) in try SecretBytes(count: size) }
    let count = unsafe content.withUnsafeMutableBytes {
      unsafe read(file, $0.baseAddress, $0.count)
    }
    guard count >= 0 else { throw .keyFileUnreadable(path: path, errno: errno) }
    guard count == size else { throw .keyFileUnsafe(path: path, reason: .wrongSize) }
    return content
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
