public import Foundation

/// The Python of the environment that `scripts/python-peers` makes, with the real libraries in it
/// that tests run against.
public struct PythonPeer {
  /// Why a peer did not answer.
  public struct Failure: Error, CustomStringConvertible {
    /// One line for the person who runs the tests.
    public let description: String
  }

  private let python: URL

  /// Finds the interpreter, or fails with the command that provides it: a test that is skipped
  /// because its peer is missing proves nothing.
  public init() throws {
    guard let path = ProcessInfo.processInfo.environment["TOKENVAULT_PYTHON"], !path.isEmpty else {
      throw Failure(
        description: "TOKENVAULT_PYTHON is not set; run the tests with scripts/test")
    }
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw Failure(
        description: "TOKENVAULT_PYTHON is not executable: \(path); run the tests with scripts/test"
      )
    }
    python = URL(fileURLWithPath: path)
  }

  /// Runs a script to its end and returns its standard output; its standard error is the test's.
  public func run(_ script: URL, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = python
    process.arguments = [script.path] + arguments
    var environment = ProcessInfo.processInfo.environment
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw Failure(
        description: "\(script.lastPathComponent) ended with \(process.terminationStatus)")
    }
    return answer
  }
}
