import Foundation
import Testing

/// A temporary directory with mode 0700, which is removed when the value is released.
final class Scratch: Sendable {
  let path: String

  init(in parent: String? = nil) throws {
    let parent = parent ?? FileManager.default.temporaryDirectory.path
    path = parent + "/group-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      Issue.record("cannot remove \(path)")
    }
  }

  func callAsFunction(_ name: String) -> String { path + "/" + name }
}

func contents(_ path: String) throws -> [UInt8] {
  try [UInt8](Data(contentsOf: URL(filePath: path)))
}

func write(_ bytes: [UInt8], to path: String) throws {
  #expect(
    FileManager.default.createFile(
      atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]))
}
