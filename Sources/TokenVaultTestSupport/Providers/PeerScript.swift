import Foundation

/// The Python scripts in Tests/ProviderTests/Peers and their temporary directories.
enum PeerScript {
  static func url(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Tests/ProviderTests/Peers").standardizedFileURL
      .appending(path: name)
  }

  /// Creates a directory that only the user of the tests can read.
  static func directory(_ name: String) throws -> URL {
    let directory = URL(filePath: NSTemporaryDirectory())
      .appending(path: "\(name)-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return directory
  }

  static func remove(_ directory: URL) {
    do {
      try FileManager.default.removeItem(at: directory)
    } catch {
      FileHandle.standardError.write(Data("cannot remove \(directory.path): \(error)\n".utf8))
    }
  }
}
