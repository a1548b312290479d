import Glibc
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSystem

/// A cache file of an MSAL library. This program reads it, and takes an account out on request.
package struct CacheFile {
  private let path: String

  package init(_ path: String) { self.path = path }

  /// The path to remember, absolute and without symbolic links; nil for a pipe or a terminal, which
  /// cannot be looked into again.
  static func path(toRemember path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    let text = unsafe String(cString: resolved)
    var status = stat()
    guard unsafe stat(text, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return text
  }

  /// Whether a remembered file no longer exists.
  static func isGone(_ path: String) -> Bool {
    unsafe access(path, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno)
  }

  /// The content of the file.
  func text() throws(VaultError) -> CacheText { try text(of: read().bytes) }

  /// Takes an account out of the file. All other bytes, the mode and the owner stay the same, and
  /// the file is replaced atomically, under the lock of MSAL's extensions.
  /// - Parameters:
  ///   - reference: The account, by user name, home account id or `ID//ENVIRONMENT`.
  ///   - clientID: The client whose tokens are taken out; nil for the whole account.
  /// - Returns: The number of entities that were taken out, and the account's `ID//ENVIRONMENT`.
  /// - Throws: ``VaultError/notInFile(path:)``, ``VaultError/ambiguousInFile(path:candidates:)`` or
  ///   ``VaultError/fileInUse(path:)``; the file is then unchanged.
  package func remove(
    _ reference: AccountReference, clientID: String? = nil
  ) throws(VaultError) -> (count: Int, selector: String) {
    guard let resolved = Self.path(toRemember: path) else {
      throw .file(path: path, call: "open", errno: Self.isGone(path) ? ENOENT : EINVAL)
    }
    return try CacheFileLock.hold(resolved, waiting: 10_000) { () throws(VaultError) in
      try CacheFile(resolved).removeLocked(reference, clientID)
    }
  }

  private func removeLocked(
    _ reference: AccountReference, _ clientID: String?
  ) throws(VaultError) -> (count: Int, selector: String) {
    let (bytes, before) = try read()
    let text = try text(of: bytes)
    let owners = CacheOwner.all(reference, in: text.entities)
    guard owners.count <= 1 else {
      throw .ambiguousInFile(path: path, candidates: owners.map(\.selector).sorted())
    }
    guard var owner = owners.first else { throw .notInFile(path: path) }
    owner.clientID = clientID
    let (kept, count) = text.cut(owner.owns)
    guard count > 0 else { throw .notInFile(path: path) }
    // The new text must still be a cache, without the account.
    guard try self.text(of: kept).cut(owner.owns).count == 0 else {
      throw .cache(.notACache)
    }
    // A program that does not use the lock may have written meanwhile.
    guard try status() == before else { throw .fileInUse(path: path) }
    do {
      try WholeFile.write(kept, to: path, replacing: true, like: before.attributes)
    } catch { throw .file(path: path, call: error.call, errno: error.errno) }
    return (count, owner.selector)
  }

  // MARK: Reading

  /// The state of the file, by which a change is noticed.
  private struct Status: Equatable {
    let attributes: WholeFile.Attributes
    let device: UInt
    let inode: UInt
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      attributes = WholeFile.Attributes(
        mode: status.st_mode & 0o7777, user: status.st_uid, group: status.st_gid)
      device = status.st_dev
      inode = status.st_ino
      size = status.st_size
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  private func read() throws(VaultError) -> (bytes: [UInt8], Status) {
    let bytes: [UInt8]?
    var status = stat()
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path, O_RDONLY | O_NONBLOCK)
      defer { close(descriptor) }
      guard unsafe fstat(descriptor, &status) == 0 else {
        throw SystemCallError(errno: errno, call: "fstat")
      }
      bytes = try SystemCalls.readAll(
        descriptor, limit: MSALCache.fileLimit, expected: Int(status.st_size))
    } catch { throw .file(path: path, call: error.call, errno: error.errno) }
    guard let bytes else { throw .cache(.tooLarge(limit: MSALCache.fileLimit)) }
    return (bytes, Status(status))
  }

  private func status() throws(VaultError) -> Status {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw .file(path: path, call: "stat", errno: errno)
    }
    return Status(status)
  }

  private func text(of bytes: [UInt8]) throws(VaultError) -> CacheText {
    do { return try CacheText(bytes) } catch { throw .cache(error) }
  }
}
