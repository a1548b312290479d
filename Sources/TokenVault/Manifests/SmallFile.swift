import TokenVaultGroupStore
import Glibc
import TokenVaultSystem

/// Small files of the user beside the vault: manifests, rules, configuration. They contain no
/// secrets, but they decide which tools may do what, so other users must not be able to write them.
package enum SmallFile {
  static let limit = 64 * 1024

  /// The content of the file; nil if it does not exist.
  package static func read(_ path: String) throws(VaultError) -> [UInt8]? {
    let descriptor: Int32
    do { descriptor = try SystemCalls.open(path, O_RDONLY | O_NONBLOCK) } catch {
      if error.errno == ENOENT || error.errno == ENOTDIR { return nil }
      throw .file(path: path, call: error.call, errno: error.errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw .file(path: path, call: "fstat", errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o022 == 0,
      status.st_uid == geteuid() || status.st_uid == 0
    else { throw .badManifest(path: path, fault: .unsafe) }
    guard status.st_size <= limit else { throw .badManifest(path: path, fault: .tooLarge) }
    let bytes: [UInt8]?
    do {
      bytes = try SystemCalls.readAll(descriptor, limit: limit, expected: Int(status.st_size))
    } catch { throw .file(path: path, call: error.call, errno: error.errno) }
    guard let bytes else { throw .badManifest(path: path, fault: .tooLarge) }
    return bytes
  }

  /// Replaces the file atomically and durably, with mode 0600. If the write fails, the old file
  /// stays. A content that ``read(_:)`` would refuse is not written.
  package static func write(_ bytes: [UInt8], to path: String) throws(VaultError) {
    guard bytes.count <= limit else { throw .badManifest(path: path, fault: .tooLarge) }
    let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    do {
      try FileSafety.makeDirectory(directory)
      try WholeFile.write(bytes, to: path, replacing: true)
    } catch {
      throw Self.error(error, path: path)
    }
  }

  static func remove(_ path: String) throws(VaultError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else {
      throw .file(path: path, call: "unlink", errno: errno)
    }
  }

  private static func error(_ error: any Error, path: String) -> VaultError {
    switch error {
    case let error as VaultError: error
    case let error as SystemCallError: .file(path: path, call: error.call, errno: error.errno)
    case StoreError.readOnly: .file(path: path, call: "open", errno: EACCES)
    case StoreError.notMade(let path, let code): .file(path: path, call: "mkdir", errno: code)
    case StoreError.diskFull: .file(path: path, call: "write", errno: ENOSPC)
    case StoreError.unsafe(let path, _): .badManifest(path: path, fault: .unsafe)
    case StoreError.io(let call, let code): .file(path: path, call: call, errno: code)
    default: .unexpected(type: String(describing: type(of: error)))
    }
  }
}
