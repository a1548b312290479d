import Glibc
package import TokenVaultCrypto
internal import TokenVaultSystem

/// Keeps the part of a group's key that only this device has: one file of 32 bytes for each group
/// and generation, in a directory of its own outside the vault.
///
/// A deleted part was overwritten first. On a file system that writes in place, nothing of it is
/// left, whatever a keyring daemon remembers of the other part.
package struct DevicePartCustodian: StoringKeyCustodian {
  /// The directory of the parts.
  package let directory: String

  /// A custodian for the parts in `directory`, which the first stored part creates.
  package init(directory: String) { self.directory = directory }

  /// The path of a part.
  package func path(of id: GroupKeyID) -> String {
    "\(directory)/\(id.hexadecimalGroupID).\(id.generation)"
  }

  /// The part of a generation. Its file is checked as a key file is.
  package func key(_ id: GroupKeyID) throws(CustodyError) -> SecretBytes {
    do throws(CustodyError) {
      return try file(id).content(sizes: groupKeySize...groupKeySize)
    } catch {
      switch error {
      case .keyFileMissing: throw .keyMissing(generation: id.generation)
      case .keyFileUnsafe(_, .wrongSize): throw .wrongKey
      default: throw error
      }
    }
  }

  /// Stores a new part durably: after a power cut, its file exists with its content.
  package func store(_ part: borrowing SecretBytes, as id: GroupKeyID) throws(CustodyError) {
    guard part.count == groupKeySize else { throw .wrongKey }
    try makeDirectory()
    do throws(CustodyError) { try file(id).create(part, removingLeftovers: true) } catch {
      guard case .keyFileUnreadable(_, EEXIST) = error else { throw error }
      throw .alreadyStored(generation: id.generation)
    }
    guard try key(id).isEqual(to: part) else { throw .wrongKey }
  }

  /// Overwrites and removes a part, durably.
  package func delete(_ id: GroupKeyID) throws(CustodyError) {
    guard try file(id).erase() else { return }
    try sync(directory)
    guard unsafe access(path(of: id), F_OK) != 0 else {
      throw .notDeleted(generation: id.generation)
    }
  }

  package func generations(of groupID: [UInt8]) throws(CustodyError) -> [UInt64] {
    let names: [String]
    do throws(SystemCallError) { names = try SystemCalls.names(in: directory) } catch {
      guard error.errno == ENOENT else {
        throw .keyFileUnreadable(path: directory, errno: error.errno)
      }
      return []
    }
    let prefix = GroupKeyID(groupID: groupID, generation: 0).hexadecimalGroupID + "."
    return names.filter { $0.hasPrefix(prefix) }.compactMap { UInt64($0.dropFirst(prefix.count)) }
      .sorted()
  }

  private func file(_ id: GroupKeyID) -> SecretFile { SecretFile(path: path(of: id)) }

  /// Creates the directory and its missing parents with mode 0700, durably, and checks it.
  private func makeDirectory() throws(CustodyError) {
    do { try DurableDirectory.make(directory) } catch {
      throw .keyFileUnreadable(path: error.path, errno: error.cause.errno)
    }
    var status = stat()
    guard unsafe lstat(directory, &status) == 0 else { throw unreadable(directory) }
    let fault: KeyFileFault? =
      if status.st_mode & S_IFMT == S_IFLNK {
        .symlink
      } else if status.st_mode & S_IFMT != S_IFDIR {
        .notRegular
      } else if status.st_uid != geteuid() {
        .notOwned
      } else if status.st_mode & 0o077 != 0 {
        .wideMode
      } else {
        nil
      }
    if let fault { throw .keyFileUnsafe(path: directory, reason: fault) }
  }

  private func sync(_ directory: String) throws(CustodyError) {
    do { try SystemCalls.syncDirectory(directory) } catch {
      throw .keyFileUnreadable(path: directory, errno: error.errno)
    }
  }

  private func unreadable(_ path: String) -> CustodyError {
    .keyFileUnreadable(path: path, errno: errno)
  }
}
