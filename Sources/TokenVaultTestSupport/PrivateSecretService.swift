public import Foundation
package import TokenVaultKeyCustody

/// A session bus of its own with a real gnome-keyring on it, in a throw-away home. Any number of
/// them run side by side; all is gone when the last reference is.
public final class PrivateSecretService: @unchecked Sendable {
  /// What a client finds.
  public enum State: Sendable {
    /// A daemon with an unlocked default collection.
    case unlocked
    /// A daemon with a locked default collection.
    case locked
    /// A daemon with a locked default collection that opens without asking for a password.
    case lockedWithoutPassword
    /// A daemon without any default collection.
    case noCollection
    /// No daemon, but the bus starts one when it is called.
    case activatable
    /// A bus without a Secret Service.
    case noService
    /// An address nobody listens at.
    case noBus
  }

  /// What went wrong while starting or steering it.
  package enum Failure: Error {
    case notReady(State, SecretServiceStatus)
    case noAddress
    case commandFailed([String], status: Int32)
    case noDaemon
  }

  /// The throw-away directory; the home is in it.
  public let directory: URL
  /// As in `DBUS_SESSION_BUS_ADDRESS`.
  public let busAddress: String
  private var bus: Process?
  private var daemon: Process?

  /// Starts everything and waits until it is in the given state.
  /// - Parameter abstractAddress: whether the bus listens at a name instead of in the directory.
  public init(_ state: State = .unlocked, abstractAddress: Bool = false) throws {
    // A short path: a socket's address has 107 bytes.
    directory = URL(filePath: "/tmp/tv-\(UUID().uuidString.prefix(13))")
    busAddress = "unix:\(abstractAddress ? "abstract" : "path")=\(directory.path)/bus"
    for folder in ["home", "run", "services"] {
      try FileManager.default.createDirectory(
        at: directory.appending(path: folder), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    if state == .noBus { return }
    try startBus(activatable: state == .activatable)
    switch state {
    case .unlocked:
      try startDaemon(unlock: true)
      try waitUntil(state) { $0.failure == nil }
    case .locked:
      try startDaemon(unlock: true)
      try waitUntil(.unlocked) { $0.failure == nil }
      try lock()
    case .lockedWithoutPassword:
      try writeOpenKeyring()
      try startDaemon(unlock: false)
      try waitUntil(state) { $0.hasDefaultCollection == true }
      try lock()
    case .noCollection:
      try startDaemon(unlock: false)
      try waitUntil(state) { $0.hasDefaultCollection == false }
    case .noService, .activatable, .noBus: break
    }
  }

  deinit {
    for process in [daemon, bus].compactMap({ $0 }) where process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    do {
      try FileManager.default.removeItem(at: directory)
    } catch {
      FileHandle.standardError.write(Data("cannot remove \(directory.path): \(error)\n".utf8))
    }
  }

  /// What a program needs to live in this session; not the tests' own environment.
  public var environment: [String: String] {
    [
      "HOME": directory.appending(path: "home").path,
      "XDG_RUNTIME_DIR": directory.appending(path: "run").path,
      "DBUS_SESSION_BUS_ADDRESS": busAddress,
      // Nobody listens there: no test reaches a provider that is not on this machine.
      "https_proxy": "http://127.0.0.1:9",
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "LC_ALL": "C.UTF-8",
    ]
  }

  /// The daemon's process id, as long as it is the one that was started here and it runs.
  public var daemonProcess: Int32? {
    daemon.flatMap { $0.isRunning ? $0.processIdentifier : nil }
  }

  /// Locks the default collection.
  public func lock() throws {
    try call(
      "Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/login")
    try waitUntil(.locked) { $0.isLocked == true }
  }

  /// Unlocks the default collection again, as the next log-in does: with a new daemon.
  public func unlock() throws {
    try killDaemon()
    try startDaemon(unlock: true)
    try waitUntil(.unlocked) { $0.failure == nil }
  }

  /// Kills the daemon and waits until the bus knows it.
  public func killDaemon() throws {
    guard let daemon, daemon.isRunning else { throw Failure.noDaemon }
    kill(daemon.processIdentifier, SIGKILL)
    daemon.waitUntilExit()
    try waitUntil(.noService) { $0.service == .absent }
  }

  /// Stops the daemon, so that it answers nothing.
  public func freezeDaemon() throws {
    guard let pid = daemonProcess else { throw Failure.noDaemon }
    kill(pid, SIGSTOP)
  }

  /// Lets a frozen daemon go on.
  public func thawDaemon() throws {
    guard let pid = daemonProcess else { throw Failure.noDaemon }
    kill(pid, SIGCONT)
  }

  /// Runs a program in the session.
  /// - Returns: what it wrote to its standard output.
  @discardableResult
  public func run(_ command: [String], input: String = "") throws -> String {
    let output = Pipe()
    let process = try start(command, input: input, output: output)
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure.commandFailed(command, status: process.terminationStatus)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Calls a method of the Secret Service API in the notation of dbus-send.
  /// - Returns: the answer as dbus-send prints it.
  @discardableResult
  public func call(
    _ method: String, path: String = "/org/freedesktop/secrets", _ arguments: String...
  ) throws -> String {
    try run(
      [
        "dbus-send", "--bus=\(busAddress)", "--print-reply", "--dest=org.freedesktop.secrets",
        path, "org.freedesktop.Secret.\(method)",
      ] + arguments)
  }

  private static let password = "correct horse"

  /// A keyring that the daemon opens without a password, hence without a prompt.
  private func writeOpenKeyring() throws {
    let keyrings = directory.appending(path: "home/.local/share/keyrings")
    try FileManager.default.createDirectory(at: keyrings, withIntermediateDirectories: true)
    try Data("[keyring]\ndisplay-name=login\nctime=0\nmtime=0\n".utf8)
      .write(to: keyrings.appending(path: "login.keyring"))
    try Data("login".utf8).write(to: keyrings.appending(path: "default"))
  }

  private func startBus(activatable: Bool) throws {
    let config = directory.appending(path: "bus.conf")
    let services = directory.appending(path: "services")
    try Data(
      """
      <busconfig>
        <type>session</type>
        <listen>\(busAddress)</listen>
        <auth>EXTERNAL</auth>
        <servicedir>\(services.path)</servicedir>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
      </busconfig>
      """.utf8
    ).write(to: config)
    if activatable {
      try Data(
        """
        [D-BUS Service]
        Name=org.freedesktop.secrets
        Exec=/usr/bin/gnome-keyring-daemon --start --foreground --components=secrets
        """.utf8
      ).write(to: services.appending(path: "org.freedesktop.secrets.service"))
    }
    let output = Pipe()
    bus = try start(
      [
        "dbus-daemon", "--config-file=\(config.path)", "--nofork", "--nopidfile", "--print-address",
      ],
      output: output)
    // It prints its address when it listens.
    guard !output.fileHandleForReading.availableData.isEmpty else { throw Failure.noAddress }
  }

  private func startDaemon(unlock: Bool) throws {
    let mode = unlock ? ["--unlock"] : ["--start"]
    daemon = try start(
      ["gnome-keyring-daemon", "--foreground", "--components=secrets"] + mode,
      input: unlock ? Self.password : "")
  }

  private func start(
    _ command: [String], input: String = "", output: Pipe? = nil
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.environment = environment
    let standardInput = Pipe()
    process.standardInput = standardInput
    process.standardOutput = output ?? FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    return process
  }

  private func waitUntil(
    _ state: State, _ isReached: (SecretServiceStatus) -> Bool
  ) throws {
    let custodian = SecretServiceCustodian(busAddress: busAddress, allowPrompt: false)
    let end = ContinuousClock.now + .seconds(20)
    while true {
      let status = custodian.status()
      if isReached(status) { return }
      if ContinuousClock.now > end { throw Failure.notReady(state, status) }
      // Polling the bus, at a pace that leaves the daemon a processor.
      usleep(2000)
    }
  }
}
