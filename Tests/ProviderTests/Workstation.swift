import Foundation
import Testing
import TokenVaultTestSupport

/// A user's machine with a temporary home, a real keyring and `tokenvault`.
final class Workstation: Sendable {
  private let session: PrivateSecretService
  let home: URL
  private let variables: [String: String]

  /// - Parameter authorityFile: the certificate of a private authority to trust.
  init(trusting authorityFile: URL? = nil) throws {
    session = try PrivateSecretService()
    home = session.directory.appending(path: "home")
    var variables = session.environment
    // The session's proxy does not exist; without this variable it would be used for 127.0.0.1,
    // too.
    variables["no_proxy"] = "127.0.0.1"
    variables["SSL_CERT_FILE"] = authorityFile?.path
    // Programs put their temporary files where the tests look for them.
    variables["TMPDIR"] = ProcessInfo.processInfo.environment["TMPDIR"]
    self.variables = variables
    // Created before the first sign-in, which would be lost if the keyring were slow then.
    try succeed("group", "create", Self.group)
  }

  static let group = "com.example.peers"

  struct RunResult {
    let status: Int32
    let output: String
    let errors: String

    /// Whether the keyring did not answer within a second, which happens on a busy machine.
    var isKeyringLate: Bool {
      status == 69 && errors.contains("The Secret Service did not answer in time")
    }
    var json: Any {
      get throws {
        try JSONSerialization.jsonObject(with: Data(output.utf8), options: .fragmentsAllowed)
      }
    }
  }

  /// A started command. Its output goes to files, because a pipe holds a limited amount.
  final class Running {
    private let process = Process()
    private let output: URL
    private let errors: URL

    fileprivate init(
      _ arguments: [String], _ workstation: Workstation, _ environment: [String: String]
    ) throws {
      let name = workstation.session.directory.appending(path: UUID().uuidString).path
      output = URL(filePath: name + ".out")
      errors = URL(filePath: name + ".err")
      for file in [output, errors] { try Data().write(to: file) }
      process.executableURL = try BuiltProduct("tokenvault").url
      process.arguments = arguments + ["--group", Workstation.group]
      process.environment = workstation.variables.merging(environment) { $1 }
      process.currentDirectoryURL = workstation.home
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
    }

    func wait() throws -> RunResult {
      process.waitUntilExit()
      return RunResult(
        status: process.terminationReason == .exit ? process.terminationStatus : -1,
        output: try String(contentsOf: output, encoding: .utf8),
        errors: try String(contentsOf: errors, encoding: .utf8))
    }

    /// Waits for the page and the user code that the command prints; fails if it ends without them.
    func code() throws -> (page: String, code: String) {
      while true {
        let isOver = !process.isRunning
        let text = try String(contentsOf: errors, encoding: .utf8)
        if let printed = text.firstMatch(of: /\n +(http\S+)\n +(\S+)\n/)?.output {
          return (String(printed.1), String(printed.2))
        }
        try #require(!isOver, "\(text)")
        usleep(20_000)
      }
    }
  }

  func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Running {
    try Running(arguments, self, environment)
  }

  /// Runs `tokenvault`, up to five times if the keyring does not answer in time.
  @discardableResult
  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> RunResult {
    var ran = try start(arguments, environment: environment).wait()
    for _ in 0..<4 where ran.isKeyringLate {
      ran = try start(arguments, environment: environment).wait()
    }
    return ran
  }

  @discardableResult
  func run(_ arguments: String...) throws -> RunResult { try run(arguments) }

  /// Runs `tokenvault`, which must succeed.
  @discardableResult
  func succeed(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let ran = try run(arguments)
    try #require(ran.status == 0, "\(arguments): \(ran.errors)", sourceLocation: sourceLocation)
    return ran.output
  }

  /// The identifiers of the accounts.
  func accounts() throws -> [String] {
    let accounts = try run("list", "--json").json as? [[String: Any]]
    return try #require(accounts).compactMap { $0["identifier"] as? String }.sorted()
  }

  /// Exports the group's accounts to an MSAL cache file.
  func export(to name: String = "cache.json") throws -> URL {
    let file = home.appending(path: name)
    try succeed("export", "--force", "--output", file.path)
    return file
  }

  /// The refresh tokens in the vault.
  func refreshTokens() throws -> [String] {
    let cache = try JSONSerialization.jsonObject(with: Data(contentsOf: export()))
    let tokens = (cache as? [String: [String: [String: Any]]])?["RefreshToken"] ?? [:]
    return tokens.values.compactMap { $0["secret"] as? String }
  }
}
