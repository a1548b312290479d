import Foundation
import TokenVaultTestSupport

/// A home for a real client and the server that it talks to, a script of Peers. Helpers are linked in
/// `bin`, which stands first in PATH, and before the clients that scripts/python-peers installs.
struct ClientHome {
  let home: ShellHome
  private let server: String
  private let path: String

  /// The path of a server's script.
  static func script(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Peers/\(name)").path
  }

  /// - Parameters:
  ///   - server: The name of the script.
  ///   - helpers: The names of the links to the program.
  init(_ server: String, helpers: [String]) throws {
    home = try CommandLineFixtures().home(SharedSecretService.get())
    let peers = try PythonPeer().interpreter.deletingLastPathComponent().path
    path = "\(home.directory.path)/bin:\(peers):\(home.environment["PATH"] ?? "")"
    self.server = Self.script(server)
    let bin = home.directory.appending(path: "bin")
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    let program = try BuiltProduct("tokenvault").url
    for name in helpers {
      try FileManager.default.createSymbolicLink(
        at: bin.appending(path: name), withDestinationURL: program)
    }
  }

  /// Runs a script while the server listens on port `$N` of 127.0.0.1. The server writes each
  /// Authorization field that it gets to the file "log".
  func run(_ script: String) throws -> ShellHome.Run {
    try home.run(
      """
      export PATH="\(path)" no_proxy=127.0.0.1
      rm -f port log; touch log; mkfifo port; python3 -B '\(server)' & P=$!; trap 'kill $P' EXIT
      read N <port
      \(script)
      """)
  }
}
