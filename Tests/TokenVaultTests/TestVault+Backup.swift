import Foundation
import TokenVaultTestSupport
import TokenVaultModel

extension TestVault {
  /// The paths and contents of the group's files.
  func backUp(_ group: GroupName = .universalStorage) throws -> [(URL, Data)] {
    let file = file(group).path
    return try ["", "-wal"].compactMap { suffix in
      let path = file + suffix
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      return (URL(filePath: path), try Data(contentsOf: URL(filePath: path)))
    }
  }

  /// Replaces the group's files by new ones with the backed-up content.
  func restore(_ backup: [(URL, Data)], _ group: GroupName = .universalStorage) throws {
    for suffix in ["", "-wal", "-shm"] {
      let path = file(group).path + suffix
      if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.removeItem(atPath: path)
      }
    }
    for (url, data) in backup {
      try data.write(to: url)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
  }
}
