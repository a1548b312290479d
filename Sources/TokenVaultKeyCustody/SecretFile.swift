import Glibc
internal import TokenVaultSystem
internal import TokenVaultCrypto

/// A small file with a secret, which only its owner may read. Its content is read, written and
/// overwritten without a copy in ordinary memory.
struct SecretFile {
  let path: String

  /// Reads the whole file.
  ///
  /// The file is refused unless it is a regular file of one of these sizes that belongs to the user
  /// or root and that no one else may read or write.
  func content(sizes: ClosedRange<Int>) throws(CustodyError) -> SecretBytes {
    // Not blocking: a pipe at the path must be refused, not waited for.
    let file = try open(O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    defer { close(file) }
    let size = try checkedSize(of: file, sizes)
    var content = try crypto { () throws(CryptoError) in try SecretBytes(count: size) }
    let count: Int
    do throws(SystemCallError) {
      count = unsafe try content.withUnsafeMutableBytes { (content) throws(SystemCallError) in
        unsafe try SystemCalls.readAll(file, into: content)
      }
    } catch { throw unreadable(error.errno) }
    guard count == size else { throw .keyFileUnsafe(path: path, reason: .wrongSize) }
    return content
  }

  /// Creates the file, readable by its owner only, and syncs its content.
  ///
  /// Throws `keyFileUnreadable` with `EEXIST` when the path exists: no secret is overwritten.
  func create(_ content: borrowing SecretBytes) throws(CustodyError) {
    let file = try open(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    defer { close(file) }
    do throws(SystemCallError) { try Self.write(content, to: file) } catch {
      unsafe unlink(path)
      throw unreadable(error.errno)
    }
  }

  /// Overwrites the content with zeros, syncs that, and removes the file.
  /// - Returns: whether there was a file.
  func erase() throws(CustodyError) -> Bool {
    let file: Int32
    do { file = try open(O_WRONLY | O_NOFOLLOW | O_NONBLOCK) } catch {
      switch error {
      case .keyFileMissing: return false
      // A link has no content of its own, and its target is not this file.
      case .keyFileUnsafe(_, .symlink): return try remove()
      default: throw error
      }
    }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw unreadable(errno) }
    if status.st_mode & S_IFMT == S_IFREG {
      let size = min(Int(status.st_size), 4096)
      let zeros = try crypto { () throws(CryptoError) in try SecretBytes(count: size) }
      do throws(SystemCallError) { try Self.write(zeros, to: file) } catch {
        throw unreadable(error.errno)
      }
    }
    return try remove()
  }

  private func remove() throws(CustodyError) -> Bool {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw unreadable(errno) }
    return true
  }

  private static func write(
    _ content: borrowing SecretBytes, to file: Int32
  ) throws(SystemCallError) {
    unsafe try content.withUnsafeBytes { (content) throws(SystemCallError) in
      unsafe try SystemCalls.writeAll(content, to: file)
    }
    try SystemCalls.sync(file)
  }

  private func checkedSize(
    of file: Int32, _ sizes: ClosedRange<Int>
  ) throws(CustodyError) -> Int {
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw unreadable(errno) }
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
    return size
  }

  private func open(_ flags: Int32, mode: UInt32 = 0) throws(CustodyError) -> Int32 {
    do throws(SystemCallError) {
      return try SystemCalls.open(path, flags, mode: mode)
    } catch {
      switch error.errno {
      case ENOENT: throw .keyFileMissing(path: path)
      case ELOOP: throw .keyFileUnsafe(path: path, reason: .symlink)
      default: throw unreadable(error.errno)
      }
    }
  }

  private func unreadable(_ code: Int32) -> CustodyError {
    .keyFileUnreadable(path: path, errno: code)
  }
}
