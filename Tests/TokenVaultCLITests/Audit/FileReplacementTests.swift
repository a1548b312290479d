import Foundation
import Testing
import TokenVaultTestSupport

@testable import TokenVaultCLI

@Suite(.timeLimit(.minutes(2)))
struct FileReplacementTests {
  @Test func aFileIsReplacedWithoutALeftover() throws {
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    let url = home.directory.appending(path: "replaced")
    try Data("one\n".utf8).write(to: url)
    let replacement = FileReplacement(path: url.path, state: try #require(FileState(of: url.path)))
    try replacement.write(Array("new".utf8))
    #expect(try String(contentsOf: url, encoding: .utf8) == "new")
    let names = try FileManager.default.contentsOfDirectory(atPath: home.directory.path)
    #expect(names.filter { $0.hasPrefix("replaced") } == ["replaced"])
  }
}
