import Foundation
import TokenVaultGroupStore
import TokenVaultKeyCustody
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto

/// The path of an executable of this package.
func built(_ name: String) throws -> String { try BuiltProduct(name).url.path }

/// A machine with one user, a real keyring and `tokenvault`. Programs run on it as from a shell.
final class Machine: Sendable {
  let session: PrivateSecretService
  let home: URL
  /// The directory for the standard streams of programs. It is not searched for secrets.
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
  /// The directory of this device's parts of the keys.
  var deviceParts: URL { home.appending(path: ".local/state/tokenvault/device-keys") }
  var custodian: SecretServiceCustodian {
    SecretServiceCustodian(busAddress: session.busAddress, allowPrompt: false)
  }

  /// A started program. Its output goes to files, because a pipe holds a limited amount.
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

    func wait() throws -> RunResult {
      process.waitUntilExit()
      defer {
        // Large files in thousands of runs would fill the disk.
        for file in [output, errors] { unsafe unlink(file.path) }
      }
      return RunResult(
        status: process.terminationStatus,
        wasKilled: process.terminationReason == .uncaughtSignal,
        bytes: try Data(contentsOf: output),
        errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }
  }

  /// Starts a program.
  /// - Parameters:
  ///   - input: the standard input; nil for none.
  ///   - environment: variables to add to those of the session; nil removes a variable.
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
  ) throws -> RunResult {
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
  ) throws -> RunResult {
    try run([built("tokenvault")] + arguments, input: input, environment: environment)
  }

  /// Runs `tokenvault`, which must succeed.
  @discardableResult
  func succeed(
    _ arguments: String..., input: String? = nil, environment: [String: String?] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let ran = try answered(arguments, input: input, environment: environment)
    try #require(ran.status == 0, "\(arguments): \(ran.errors)", sourceLocation: sourceLocation)
    return ran.output
  }

  /// Runs `tokenvault`, up to five times if the keyring does not answer in time: while all tests
  /// run, a healthy keyring may need more than a second.
  private func answered(
    _ arguments: [String], input: String? = nil, environment: [String: String?] = [:]
  ) throws -> RunResult {
    var ran = RunResult(status: -1, wasKilled: false, bytes: Data(), errors: "")
    for _ in 0..<5 {
      ran = try run([built("tokenvault")] + arguments, input: input, environment: environment)
      if !ran.isTimeout { break }
    }
    return ran
  }

  /// Runs a shell command in which `$T` is `tokenvault`.
  func shell(
    _ script: String, input: String? = nil, environment: [String: String?] = [:]
  ) throws -> RunResult {
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

  /// The content of each file in the vault, by its relative path. SQLite's shared memory, which
  /// holds locks and an index of the log, is left out because reading changes it, too.
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

  /// Replaces the vault's files by new ones with this content.
  func restore(_ image: [String: Data]) throws { try Self.restore(image, to: vault) }

  /// Replaces the files in a directory by new ones with this content.
  static func restore(_ image: [String: Data], to directory: URL) throws {
    if FileManager.default.fileExists(atPath: directory.path) {
      try FileManager.default.removeItem(at: directory)
    }
    for (name, bytes) in image {
      let url = directory.appending(path: name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try bytes.write(to: url)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
  }

  /// The unencrypted header of the group's file.
  func header() throws -> GroupHeader { try LockedGroup(path: file).header }

  /// The generations of the group's key in the keyring.
  func generations() throws -> [UInt64] { try custodian.generations(of: header().groupID) }

  /// The generations of the group's key of which this device has its part.
  func devicePartGenerations() throws -> [UInt64] {
    try DevicePartCustodian(directory: deviceParts.path).generations(of: header().groupID)
  }

  /// Whether the key opens the group's file.
  func isOpened(by key: consuming SecretBytes) throws -> Bool {
    do {
      _ = try LockedGroup(path: file).unlock(key)
      return true
    } catch StoreError.wrongKey { return false }
  }

  /// The user names that `tokenvault list` prints, sorted.
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

  /// All attributes and secrets of tokenvault's items in the keyring.
  func keyring() throws -> String {
    let ran = try run([
      "/usr/bin/secret-tool", "search", "--all", "xdg:schema", "dev.tokenvault.GroupKey",
    ])
    return ran.output + ran.errors
  }

  /// The number of keys in the keyring, of all groups.
  func keyCount() throws -> Int { try keyring().ranges(of: "attribute.generation = ").count }
}
