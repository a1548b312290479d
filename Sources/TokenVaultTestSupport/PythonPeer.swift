public import Foundation

/// The Python of the environment that `scripts/python-peers` makes, with the real libraries in it
/// that tests run against.
public struct PythonPeer {
  /// Why a peer did not answer.
  public struct Failure: Error, CustomStringConvertible {
    /// One line for the person who runs the tests.
    public let description: String
  }

  /// The interpreter.
  public let interpreter: URL

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
    interpreter = URL(fileURLWithPath: path)
  }

  /// A script that is ready to be run in the tests' environment.
  /// - Parameter environment: what is added to that.
  public func process(
    _ script: URL, _ arguments: [String], environment: [String: String] = [:]
  ) -> Process {
    let process = Process()
    process.executableURL = interpreter
    process.arguments = [script.path] + arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }.merging(environment) { $1 }
    return process
  }

  /// Runs a script to its end and returns its standard output; its standard error is the test's.
  /// - Parameter environment: what is added to the tests' own.
  public func run(
    _ script: URL, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> Data {
    let process = process(script, arguments, environment: environment)
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
