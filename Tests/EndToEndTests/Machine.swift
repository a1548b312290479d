import Foundation
import TokenVaultGroupStore
import TokenVaultKeyCustody
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto

/// A program that ran to its end.
struct Ran {
  var status: Int32
  var wasKilled: Bool
  var bytes: Data
  var errors: String

  var output: String { String(decoding: bytes, as: UTF8.self) }
  var isTimeout: Bool {
    status == 69 && errors.contains("The Secret Service did not answer in time")
  }
  /// The JSON value that was printed.
  func json() throws -> Any {
    try JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed)
  }
}

/// A program that was built beside the tests.
func built(_ name: String) throws -> String {
  let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  let path = URL(filePath: own).deletingLastPathComponent().appending(path: name).path
  try #require(FileManager.default.isExecutableFile(atPath: path), "not built: \(path)")
  return path
}

/// A machine with one user, a real keyring, and `tokenvault` installed: programs run on it as a
/// shell would run them.
final class Machine: Sendable {
  let session: PrivateSecretService
  let home: URL
  /// Where the standard streams of programs go, outside of what is searched for secrets.
  private let streams: URL
  static let group = "com.microsoft.identity.universalstorage"

  init(_ state: PrivateSecretService.State = .unlocked) throws {
    session = try PrivateSecretService(state)
    home = session.directory.appending(path: "home")
    streams = session.directory.appending(path: "streams")
    try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: false)
  }

  var vault: URL { home.appending(path: ".local/share/tokenvault") }
  var file: String { vault.appending(path: "groups/\(Self.group).vault").path }
  var custodian: SecretServiceCustodian {
    SecretServiceCustodian(busAddress: session.busAddress, allowPrompt: false)
  }

  /// A program that was started; what it writes goes to files, which hold any amount of it.
  final class Running {
    fileprivate let process: Process
    let output: URL
    let errors: URL
    var pid: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    fileprivate init(_ process: Process, output: URL, errors: URL) {
      self.process = process
      self.output = output
      self.errors = errors
    }

    func wait() throws -> Ran {
      process.waitUntilExit()
      defer {
        // They may be large, and there are thousands.
        for file in [output, errors] { unsafe unlink(file.path) }
      }
      return Ran(
        status: process.terminationStatus,
        wasKilled: process.terminationReason == .uncaughtSignal,
        bytes: try Data(contentsOf: output),
        errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }
  }

  /// Starts a program.
  /// - Parameters:
  ///   - input: for its standard input, through a pipe; nil for one without an end.
  ///   - environment: over that of the session; nil takes a variable away.
  func start(
    _ command: [String], input: FileHandle? = nil, environment: [String: String?] = [:],
    directory: URL? = nil
  ) throws -> Running {
    let process = Process()
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    var variables = session.environment
    for (name, value) in environment { variables[name] = value }
    process.environment = variables
    process.currentDirectoryURL = directory ?? home
    let name = UUID().uuidString
    let output = streams.appending(path: name + ".out")
    let errors = streams.appending(path: name + ".err")
    for file in [output, errors] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardInput = input ?? FileHandle.nullDevice
    try process.run()
    return Running(process, output: output, errors: errors)
  }

  @discardableResult
  func run(
    _ command: [String], input: String? = nil, environment: [String: String?] = [:],
    directory: URL? = nil
  ) throws -> Ran {
    guard let input else {
      return try start(command, environment: environment, directory: directory).wait()
    }
    let file = streams.appending(path: UUID().uuidString + ".in")
    try Data(input.utf8).write(to: file)
    defer { unsafe unlink(file.path) }
    return try start(
      command, input: FileHandle(forReadingFrom: file), environment: environment,
      directory: directory
    ).wait()
  }

  /// Runs `tokenvault`.
  @discardableResult
  func vault(
    _ arguments: String..., input: String? = nil, environment: [String: String?] = [:]
  ) throws -> Ran {
    try run([built("tokenvault")] + arguments, input: input, environment: environment)
  }

  /// Runs `tokenvault`, which has to succeed.
  @discardableResult
  func succeed(
    _ arguments: String..., input: String? = nil, environment: [String: String?] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let ran = try answered(arguments, input: input, environment: environment)
    try #require(ran.status == 0, "\(arguments): \(ran.errors)", sourceLocation: sourceLocation)
    return ran.output
  }

  /// Runs `tokenvault`, and again where the keyring did not answer in time: while all tests run, a
  /// healthy one may take more than its second. One that stays silent is a failure.
  private func answered(
    _ arguments: [String], input: String? = nil, environment: [String: String?] = [:]
  ) throws -> Ran {
    var ran = Ran(status: -1, wasKilled: false, bytes: Data(), errors: "")
    for _ in 0..<5 {
      ran = try run([built("tokenvault")] + arguments, input: input, environment: environment)
      if !ran.isTimeout { break }
    }
    return ran
  }

  /// Runs a shell command in which `$T` is `tokenvault`.
  func shell(
    _ script: String, input: String? = nil, environment: [String: String?] = [:]
  ) throws -> Ran {
    try run(
      ["/bin/bash", "-c", script], input: input,
      environment: environment.merging(["T": try built("tokenvault")]) { $1 })
  }

  /// Writes a file into the home.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let url = home.appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  /// Every file of the vault, by its path there; but for SQLite's shared memory, which holds locks
  /// and an index of the log, and which reading changes too.
  func image() throws -> [String: Data] {
    try Self.image(of: vault).filter { !$0.key.hasSuffix("-shm") }
  }

  static func image(of directory: URL) throws -> [String: Data] {
    var image: [String: Data] = [:]
    guard FileManager.default.fileExists(atPath: directory.path) else { return [:] }
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      let path = directory.appending(path: name).path
      let kind = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
      guard kind == .typeRegular else { continue }
      image[name] = try Data(contentsOf: URL(filePath: path))
    }
    return image
  }

  /// Puts the vault's files back, in new files.
  func restore(_ image: [String: Data]) throws {
    if FileManager.default.fileExists(atPath: vault.path) {
      try FileManager.default.removeItem(at: vault)
    }
    for (name, bytes) in image {
      let url = vault.appending(path: name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try bytes.write(to: url)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
  }

  /// What stands in the clear in the group's file.
  func header() throws -> GroupHeader { try LockedGroup(path: file).header }

  /// The generations that the keyring has of the group.
  func generations() throws -> [UInt64] { try custodian.generations(of: header().groupID) }

  /// The user names that a listing gives.
  func usernames(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
    let ran = try answered(["list", "--json"])
    try #require(ran.status == 0, "list: \(ran.errors)", sourceLocation: sourceLocation)
    let accounts = try #require(try ran.json() as? [[String: Any]])
    return accounts.compactMap { $0["username"] as? String }.sorted()
  }

  func token(_ account: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String
  {
    let ran = try answered(["token", "--account", account])
    try #require(ran.status == 0, "token: \(ran.errors)", sourceLocation: sourceLocation)
    return ran.output
  }

  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let ran = try answered(["group", "verify"])
    #expect(ran.status == 0, "verify: \(ran.errors)", sourceLocation: sourceLocation)
  }

  /// All that the keyring shows of its items of ours, with the secrets.
  func keyring() throws -> String {
    let ran = try run([
      "/usr/bin/secret-tool", "search", "--all", "xdg:schema", "dev.tokenvault.GroupKey",
    ])
    return ran.output + ran.errors
  }

  /// How many keys of ours the keyring has, of whatever group.
  func keyCount() throws -> Int { try keyring().ranges(of: "attribute.generation = ").count }
}
