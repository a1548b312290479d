import Foundation
import Testing

/// A directory that is removed with the last reference to it.
final class TemporaryDirectory: Sendable {
  let url = URL(filePath: "/tmp/tv-\(UUID().uuidString.prefix(13))")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) }
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func write(_ name: String, bytes count: Int, mode: Int = 0o600) throws -> String {
    let path = path(name)
    let content = Data((0..<count).map { _ in UInt8.random(in: 0...255) })
    try content.write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }
}
