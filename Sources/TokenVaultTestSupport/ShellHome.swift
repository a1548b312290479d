public import Foundation
import Glibc

/// A throw-away home in which a shell runs commands, without a terminal, on a given session bus.
public final class ShellHome: @unchecked Sendable {
  /// The directory; commands start in it.
  public let directory: URL
  /// What commands find in their environment.
  public let environment: [String: String]

  /// What a command did.
  public struct Run: Sendable {
    /// Its exit status; 128 and the signal when one ended it.
    public let status: Int32
    /// What it wrote to its standard output.
    public let output: String
    /// What it wrote to its standard error.
    public let errors: String
    /// The files whose content or rights are others than before.
    public let changes: [String]
  }

  /// Makes the home. `programs` is put in front of PATH.
  public init(_ service: PrivateSecretService, programs: URL) throws {
    directory = service.directory.appending(path: "shell-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var environment = service.environment
    environment["HOME"] = directory.path
    environment["PATH"] = programs.path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    self.environment = environment
  }

  /// Runs a command to its end.
  public func run(_ command: String) throws -> Run {
    let before = try content()
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // A session of its own has no controlling terminal to ask anything on.
    // Who started the tests may ignore SIGPIPE, and a pipeline relies on it.
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

  private static func isPassing(_ file: URL) -> Bool {
    file.pathExtension == "lock" || file.path.hasSuffix("-shm")
  }

  /// Every file's rights and bytes. Locks and logs may be there empty, SQLite's shared index of a
  /// log is made anew by every reader, and directories hold nothing.
  private func content() throws -> [String: String] {
    var found: [String: String] = [:]
    guard
      let files = FileManager.default.enumerator(
        at: directory, includingPropertiesForKeys: [.isRegularFileKey])
    else { return [:] }
    for case let file as URL in files where !Self.isPassing(file) {
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
