import Foundation
import Testing

/// The result of a program that has ended.
struct ProgramResult {
  var status: Int32
  var wasKilled: Bool
  var output: String
  var errors: String
}

/// The path of the probe, which is built beside the tests.
func probePath() throws -> String {
  let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  let path = URL(filePath: own).deletingLastPathComponent()
    .appending(path: "group-store-probe").path
  try #require(FileManager.default.isExecutableFile(atPath: path), "not built: \(path)")
  return path
}

/// A running program. Its output goes to files, so that any amount of it fits.
final class RunningProgram {
  private let process = Process()
  private let scratch: Scratch

  init(_ arguments: [String]) throws {
    scratch = try Scratch()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    for name in ["out", "err"] { try write([], to: scratch(name)) }
    process.standardOutput = FileHandle(forWritingAtPath: scratch("out"))
    process.standardError = FileHandle(forWritingAtPath: scratch("err"))
    try process.run()
  }

  func wait() throws -> ProgramResult {
    process.waitUntilExit()
    return ProgramResult(
      status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
      output: String(decoding: try contents(scratch("out")), as: UTF8.self),
      errors: String(decoding: try contents(scratch("err")), as: UTF8.self))
  }
}

func run(_ arguments: [String]) throws -> ProgramResult { try RunningProgram(arguments).wait() }
