import Foundation

/// Runs commands without the environment of the caller: its home, its caches, its settings.
struct Commands {
  struct Result {
    var status: Int32
    /// Standard output and standard error.
    var output: String
  }

  private let environment: [String: String]
  private let log: URL

  init(home: URL) throws {
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    log = home.appending(path: "output")
    let inherited = ProcessInfo.processInfo.environment
    // Where packages come from may be in git's configuration.
    environment = inherited.filter { ["PATH", "TMPDIR", "GIT_CONFIG_GLOBAL"].contains($0.key) }
      .merging(["HOME": home.path, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
  }

  func run(_ program: String, _ arguments: String..., in folder: URL) throws -> Result {
    try run(program, arguments, in: folder)
  }

  func run(_ program: String, _ arguments: [String], in folder: URL) throws -> Result {
    try Data().write(to: log)
    let output = try FileHandle(forWritingTo: log)
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus,
      output: String(decoding: try Data(contentsOf: log), as: UTF8.self))
  }
}
