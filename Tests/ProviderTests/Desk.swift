import Foundation
import Testing
import TokenVaultTestSupport

/// Where somebody works: a home and a keyring of their own, and `tokenvault`.
final class Desk: Sendable {
  private let session: PrivateSecretService
  let home: URL
  private let variables: [String: String]

  /// - Parameter authorityFile: a private certificate authority that is trusted here.
  init(trusting authorityFile: URL? = nil) throws {
    session = try PrivateSecretService()
    home = session.directory.appending(path: "home")
    var variables = session.environment
    // The session's proxy leads nowhere, and even what is on this machine would go by it.
    variables["no_proxy"] = "127.0.0.1"
    variables["SSL_CERT_FILE"] = authorityFile?.path
    // The tests' programs find their temporary files where the tests look for them.
    variables["TMPDIR"] = ProcessInfo.processInfo.environment["TMPDIR"]
    self.variables = variables
    // Before anybody signs in: a keyring that is slow then would cost a sign-in.
    try succeed("group", "create", Self.group)
  }

  static let group = "com.example.peers"

  struct Ran {
    let status: Int32
    let output: String
    let errors: String

    /// The keyring did not answer within its second, which a busy machine makes of a healthy one.
    var isKeyringLate: Bool {
      status == 69 && errors.contains("The Secret Service did not answer in time")
    }
    var json: Any {
      get throws {
        try JSONSerialization.jsonObject(with: Data(output.utf8), options: .fragmentsAllowed)
      }
    }
  }

  /// A command that was started; what it writes goes to files, which hold any amount of it.
  final class Running {
    private let process = Process()
    private let output: URL
    private let errors: URL

    fileprivate init(_ arguments: [String], _ desk: Desk, _ environment: [String: String]) throws {
      let name = desk.session.directory.appending(path: UUID().uuidString).path
      output = URL(filePath: name + ".out")
      errors = URL(filePath: name + ".err")
      for file in [output, errors] { try Data().write(to: file) }
      process.executableURL = try BuiltProduct("tokenvault").url
      process.arguments = arguments + ["--group", Desk.group]
      process.environment = desk.variables.merging(environment) { $1 }
      process.currentDirectoryURL = desk.home
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
    }

    func wait() throws -> Ran {
      process.waitUntilExit()
      return Ran(
        status: process.terminationReason == .exit ? process.terminationStatus : -1,
        output: try String(contentsOf: output, encoding: .utf8),
        errors: try String(contentsOf: errors, encoding: .utf8))
    }

    /// The page and the code that it tells; a failure if it ends without them.
    func code() throws -> (page: String, code: String) {
      while true {
        let isOver = !process.isRunning
        let text = try String(contentsOf: errors, encoding: .utf8)
        if let told = text.firstMatch(of: /\n +(http\S+)\n +(\S+)\n/)?.output {
          return (String(told.1), String(told.2))
        }
        try #require(!isOver, "\(text)")
        usleep(20_000)
      }
    }
  }

  func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Running {
    try Running(arguments, self, environment)
  }

  /// Runs `tokenvault`, and again where only the keyring was late.
  @discardableResult
  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Ran {
    var ran = try start(arguments, environment: environment).wait()
    for _ in 0..<4 where ran.isKeyringLate {
      ran = try start(arguments, environment: environment).wait()
    }
    return ran
  }

  @discardableResult
  func run(_ arguments: String...) throws -> Ran { try run(arguments) }

  /// Runs `tokenvault`, which has to succeed.
  @discardableResult
  func succeed(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let ran = try run(arguments)
    try #require(ran.status == 0, "\(arguments): \(ran.errors)", sourceLocation: sourceLocation)
    return ran.output
  }

  /// The ids of the accounts.
  func accounts() throws -> [String] {
    let accounts = try run("list", "--json").json as? [[String: Any]]
    return try #require(accounts).compactMap { $0["identifier"] as? String }.sorted()
  }

  /// Writes the group's accounts as a cache of MSAL's.
  func export(to name: String = "cache.json") throws -> URL {
    let file = home.appending(path: name)
    try succeed("export", "--force", "--output", file.path)
    return file
  }

  /// The refresh tokens that the vault has.
  func refreshTokens() throws -> [String] {
    let cache = try JSONSerialization.jsonObject(with: Data(contentsOf: export()))
    let tokens = (cache as? [String: [String: [String: Any]]])?["RefreshToken"] ?? [:]
    return tokens.values.compactMap { $0["secret"] as? String }
  }
}
