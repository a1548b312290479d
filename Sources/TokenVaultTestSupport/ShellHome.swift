package import Foundation
import Glibc

/// A temporary home in which a shell runs commands without a terminal, on a given session bus.
package final class ShellHome: @unchecked Sendable {
  /// The home, which is also the working directory of commands.
  package let directory: URL
  /// The environment of commands.
  package let environment: [String: String]

  /// The result of a command.
  package struct Run: Sendable {
    /// Its exit status; 128 plus the signal if a signal ended it.
    package let status: Int32
    /// Its standard output.
    package let output: String
    /// Its standard error.
    package let errors: String
    /// The paths of the files whose content or permissions changed.
    package let changes: [String]
  }

  /// Creates the home.
  /// - Parameter programs: a directory to put first in PATH.
  package init(_ service: PrivateSecretService, programs: URL) throws {
    directory = service.directory.appending(path: "shell-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var environment = service.environment
    environment["HOME"] = directory.path
    environment["PATH"] = programs.path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    self.environment = environment
  }

  /// Runs a command to its end.
  package func run(_ command: String) throws -> Run {
    let before = try content()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // A new session has no controlling terminal for questions.
    // The parent of the tests may ignore SIGPIPE, which pipelines rely on.
    process.arguments = ["--default-signal=PIPE", "setsid", "--wait", "sh", "-c", command]
    process.environment = environment
    process.currentDirectoryURL = directory
    process.standardInput = FileHandle.nullDevice
    let scratch = directory.appendingPathExtension("out")
    let errors = directory.appendingPathExtension("err")
    for file in [scratch, errors] {
      try Data().write(to: file)
    }
    let (out, err) = try (FileHandle(forWritingTo: scratch), FileHandle(forWritingTo: errors))
    process.standardOutput = out
    process.standardError = err
    try process.run()
    process.waitUntilExit()
    try out.close()
    try err.close()
    let after = try content()
    let changes = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
    return Run(
      status: process.terminationReason == .exit
        ? process.terminationStatus : 128 + process.terminationStatus,
      output: String(decoding: try Data(contentsOf: scratch), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self), changes: changes)
  }

  private static func isTransient(_ file: URL) -> Bool {
    file.pathExtension == "lock" || file.path.hasSuffix("-shm")
  }

  /// The permissions and content of each file. Locks, empty logs and SQLite's shared log index are
  /// left out, because readers create them; so are directories.
  private func content() throws -> [String: String] {
    var found: [String: String] = [:]
    guard
      let files = FileManager.default.enumerator(
        at: directory, includingPropertiesForKeys: [.isRegularFileKey])
    else { return [:] }
    for case let file as URL in files where !Self.isTransient(file) {
      var status = stat()
      guard unsafe lstat(file.path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
        continue
      }
      let bytes = status.st_mode & S_IFMT == S_IFREG ? try Data(contentsOf: file) : Data()
      if bytes.isEmpty, file.path.hasSuffix("-wal") { continue }
      found[file.path] = "\(status.st_mode) \(bytes.base64EncodedString())"
    }
    return found
  }
}
