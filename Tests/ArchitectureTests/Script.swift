import Foundation

/// A script of the checkout, run to its end.
enum Script {
  struct Result {
    var status: Int32
    var output: String
  }

  /// Runs a script with its standard error dropped.
  static func run(_ path: String, _ arguments: String..., input: String = "") throws -> Result {
    let process = Process()
    process.executableURL = Checkout.root.appending(path: path)
    process.arguments = arguments
    process.currentDirectoryURL = Checkout.root
    let (standardInput, output) = (Pipe(), Pipe())
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self))
  }
}
