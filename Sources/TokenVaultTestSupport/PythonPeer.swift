package import Foundation

/// The Python interpreter of the environment that `scripts/python-peers` creates. It has the real
/// libraries that the tests run against.
package struct PythonPeer {
  /// Why a script could not be run.
  package struct Failure: Error, CustomStringConvertible {
    /// One line of text.
    package let description: String
  }

  /// The interpreter.
  package let interpreter: URL

  /// Finds the interpreter, or fails with the command that provides it: a test that is skipped
  /// because its peer is missing would prove nothing.
  package init() throws {
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

  /// A process for a script, not yet started.
  /// - Parameter environment: variables to add to those of the tests.
  package func process(
    _ script: URL, _ arguments: [String], environment: [String: String] = [:]
  ) -> Process {
    let process = Process()
    process.executableURL = interpreter
    process.arguments = [script.path] + arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }.merging(environment) { $1 }
    return process
  }

  /// Runs a script to its end and returns its standard output. Its standard error is that of the
  /// tests.
  /// - Parameter environment: variables to add to those of the tests.
  package func run(
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
        description: "\(script.lastPathComponent) exited with status \(process.terminationStatus)")
    }
    return answer
  }
}
