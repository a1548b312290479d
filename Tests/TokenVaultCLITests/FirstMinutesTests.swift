import Foundation
import Testing
import TokenVaultTestSupport

/// The first commands of README.md, run as a newcomer does.
@Suite(.timeLimit(.minutes(3)))
struct FirstMinutesTests {
  @Test func theReadmeAndTheRecordingShowWhatTheCommandsPrint() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    // Both programs are built with the tests.
    _ = try BuiltProduct("tokenvault-idp")
    let programs = try BuiltProduct("tokenvault").url.deletingLastPathComponent()
    let process = Process()
    process.executableURL = root.appending(path: "scripts/record")
    process.arguments = ["--check", "--programs", programs.path]
    let errors = Pipe()
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "run scripts/record:\n\(said)")
  }
}
