import Foundation

/// The process of a third-party provider, and its directory. Releasing the last reference removes
/// both.
final class ProviderServer: @unchecked Sendable {
  struct Facts: Decodable {
    let issuer: String
    let authorityFile: String?
    let redirectPort: Int?
  }

  /// The process ended before it was ready; its standard error is that of the tests.
  struct NotReady: Error {
    let script: String
  }

  let facts: Facts
  let directory: URL
  private let process: Process
  /// The script ends when this pipe closes, including when the tests are killed.
  private let input: Pipe

  init(script: String, configuration: some Encodable) throws {
    directory = try PeerScript.directory("provider")
    let text = String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self)
    process = try PythonPeer().process(PeerScript.url(script), [text, directory.path])
    input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      line += more
    }
    guard !line.isEmpty else {
      process.waitUntilExit()
      PeerScript.remove(directory)
      throw NotReady(script: script)
    }
    facts = try JSONDecoder().decode(Facts.self, from: line)
  }

  deinit {
    // The script has made its process group before it prints its line.
    kill(-process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    PeerScript.remove(directory)
  }
}
