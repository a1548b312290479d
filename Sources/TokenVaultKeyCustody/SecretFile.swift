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

  /// Creates the file, readable by its owner only, durably: it is complete or not there, whenever the
  /// process is killed or the power is cut.
  ///
  /// - Parameter removingLeftovers: Whether drafts of killed processes are removed from the directory.
  ///   In one of the user, a key file may have a name that looks like a draft's.
  /// - Throws: `keyFileUnreadable` with `EEXIST` when the path exists: no secret is overwritten.
  func create(
    _ content: borrowing SecretBytes, removingLeftovers: Bool
  ) throws(CustodyError) {
    do throws(SystemCallError) {
      unsafe try content.withUnsafeBytes { (content) throws(SystemCallError) in
        unsafe try WholeFile.write(
          content, to: path, replacing: false, removingLeftovers: removingLeftovers)
      }
    } catch { throw failed(error) }
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
      let zeros = [UInt8](repeating: 0, count: min(Int(status.st_size), 4096))
      do throws(SystemCallError) {
        try SystemCalls.writeAll(zeros, to: file)
        try SystemCalls.sync(file)
      } catch { throw unreadable(error.errno) }
    }
    return try remove()
  }

  private func remove() throws(CustodyError) -> Bool {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw unreadable(errno) }
    return true
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

  private func open(_ flags: Int32) throws(CustodyError) -> Int32 {
    do throws(SystemCallError) { return try SystemCalls.open(path, flags) } catch {
      throw failed(error)
    }
  }

  private func failed(_ error: SystemCallError) -> CustodyError {
    switch error.errno {
    case ENOENT: .keyFileMissing(path: path)
    case ELOOP: .keyFileUnsafe(path: path, reason: .symlink)
    default: unreadable(error.errno)
    }
  }

  private func unreadable(_ code: Int32) -> CustodyError {
    .keyFileUnreadable(path: path, errno: code)
  }
}
