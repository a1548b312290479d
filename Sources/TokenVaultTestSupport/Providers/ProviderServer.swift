import Foundation

/// Somebody who can sign in at a provider.
public struct ProviderUser: Encodable, Sendable {
  /// What is typed as the name; the mail address is this at example.com.
  public let name: String
  /// What is typed as the password.
  public let password: String

  /// Makes up a person.
  public init(_ name: String, password: String) {
    self.name = name
    self.password = password
  }

  /// The person most tests sign in as.
  public static let ada = ProviderUser("ada", password: "correct horse")
  /// Somebody else.
  public static let bob = ProviderUser("bob", password: "battery staple")
}

/// A public client that a provider knows.
public struct ProviderClient: Encodable, Sendable {
  /// Its client id.
  public let id: String
  /// Where the browser may be sent back to.
  public let redirectURIs: [String]

  /// Registers a client when the provider is started.
  public init(_ id: String, redirectURIs: [String]) {
    self.id = id
    self.redirectURIs = redirectURIs
  }
}

/// Scripts of the tests that run real programs of others.
enum PeerScript {
  static func url(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Tests/ProviderTests/Peers").standardizedFileURL
      .appending(path: name)
  }

  /// A directory of our own whose files only we can read.
  static func directory(_ name: String) throws -> URL {
    let directory = URL(filePath: NSTemporaryDirectory())
      .appending(path: "\(name)-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return directory
  }

  static func remove(_ directory: URL) {
    do {
      try FileManager.default.removeItem(at: directory)
    } catch {
      FileHandle.standardError.write(Data("cannot remove \(directory.path): \(error)\n".utf8))
    }
  }
}

/// A provider's process with a directory of its own; both go with the last reference.
final class ProviderServer: @unchecked Sendable {
  struct Facts: Decodable {
    let issuer: String
    let authorityFile: String?
    let redirectPort: Int?
  }

  /// It ended without saying that it was ready; its standard error is the test's.
  struct NotReady: Error {
    let script: String
  }

  let facts: Facts
  let directory: URL
  private let process: Process
  /// The script ends when this is closed, so also when the tests are killed.
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
    // The whole group that the script made: it is there as soon as it said its line.
    kill(-process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    PeerScript.remove(directory)
  }
}
