import Foundation
import TokenVaultTestSupport

/// Runs transport-probe with this environment, without the variables of the test process.
func runTransportProbe(
  _ arguments: [String], environment: [String: String] = [:]
) throws -> [String] {
  let process = Process()
  process.executableURL = try BuiltProduct("transport-probe").url
  process.arguments = arguments
  process.environment = environment
  process.standardInput = FileHandle.nullDevice
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let data = try output.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
}
