import Glibc
import TokenVaultKeyCustody
import TokenVaultModel

/// Creates the key file of a custody, and removes it again if it is not needed in the end.
enum KeyFileCreation {
  /// Creates the key file that the custody names, if it does not exist.
  /// - Returns: Its path if it was created; nil otherwise.
  static func createIfMissing(
    _ custody: GroupManifest.Custody
  ) throws(VaultError) -> String? {
    guard case .keyFile(let path) = custody, unsafe access(path, F_OK) != 0 else { return nil }
    do throws(CustodyError) { try KeyFileCustodian.create(path: path) } catch {
      switch error {
      case .keyFileUnreadable(_, let code): throw .keyFileNotCreated(path: path, errno: code)
      case .keyFileMissing: throw .keyFileNotCreated(path: path, errno: ENOENT)
      default: throw .custody(error, group: .universalStorage)
      }
    }
    return path
  }

  /// Removes a key file that ``createIfMissing(_:)`` created and that no slot was sealed with.
  static func takeBack(_ path: String) { unsafe unlink(path) }
}
