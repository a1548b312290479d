package import Foundation
package import TokenVaultKeyCustody

/// A private session bus with a real Secret Service, in a temporary home. Any number of them run at
/// the same time. Releasing the last reference ends the processes and removes the files.
package final class PrivateSecretService: @unchecked Sendable {
  /// The state that a client finds.
  package enum State: Sendable {
    /// A daemon with an unlocked default collection.
    case unlocked
    /// A daemon with a locked default collection.
    case locked
    /// A daemon with a locked default collection without a password, which unlocks without a
    /// prompt.
    case lockedWithoutPassword
    /// A daemon without a default collection.
    case noCollection
    /// No daemon, but the bus starts one on demand.
    case activatable
    /// A bus without a Secret Service.
    case noService
    /// An address without a listener.
    case noBus
  }

  /// Why a session could not be started or controlled.
  package enum Failure: Error {
    case notReady(State, SecretServiceStatus)
    case noAddress
    case commandFailed([String], status: Int32)
    case noDaemon
  }

  /// The temporary directory, which contains the home.
  package let directory: URL
  /// The address of the bus, as in `DBUS_SESSION_BUS_ADDRESS`.
  package let busAddress: String
  /// The program that is the service.
  package let program: SecretServiceProgram
  private var bus: Process?
  private var screen: Process?
  private var display: String?
  private var prompter: Process?
  var daemon: Process?

  /// Starts the session and waits until it has reached a state.
  /// - Parameters:
  ///   - state: the state.
  ///   - abstractAddress: whether the bus listens on an abstract socket instead of one in the
  ///     directory.
  ///   - program: the service.
  ///   - hasScreen: whether there is an X server, on which the service shows its prompts.
  package init(
    _ state: State = .unlocked, abstractAddress: Bool = false,
    program: SecretServiceProgram = .gnomeKeyring, hasScreen: Bool = false
  ) throws {
    self.program = program
    // A short path, because a socket address holds 107 bytes.
    directory = URL(filePath: "/tmp/tv-\(UUID().uuidString.prefix(13))")
    busAddress = "unix:\(abstractAddress ? "abstract" : "path")=\(directory.path)/bus"
    for folder in ["home", "run", "services"] {
      try FileManager.default.createDirectory(
        at: directory.appending(path: folder), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    if state == .noBus { return }
    try startBus(activatable: state == .activatable)
    if hasScreen { try startScreen() }
    switch state {
    case .unlocked: try unlockNewDaemon()
    case .locked:
      try unlockNewDaemon()
      if program == .kWallet { try closeWallet() } else { try lock() }
    case .lockedWithoutPassword:
      try writeOpenKeyring()
      try startLockedDaemon()
      try waitUntil(state) { $0.hasDefaultCollection == true }
      try lock()
    case .noCollection:
      try startLockedDaemon()
      try waitUntil(state) { $0.hasDefaultCollection == false }
    case .noService, .activatable, .noBus: break
    }
  }

  deinit {
    for process in [daemon, prompter, screen, bus].compactMap({ $0 }) where process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    do {
      try FileManager.default.removeItem(at: directory)
    } catch {
      FileHandle.standardError.write(Data("cannot remove \(directory.path): \(error)\n".utf8))
    }
  }

  /// The environment of a program in this session. It does not contain that of the tests.
  package var environment: [String: String] {
    [
      "HOME": directory.appending(path: "home").path,
      "XDG_RUNTIME_DIR": directory.appending(path: "run").path,
      "DBUS_SESSION_BUS_ADDRESS": busAddress,
      // A port without a listener: no test can reach a provider on the Internet.
      "https_proxy": "http://127.0.0.1:9",
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "LC_ALL": "C.UTF-8",
      "TMPDIR": directory.appending(path: "run").path,
      "QT_QPA_PLATFORM": display == nil ? "offscreen" : "xcb",
    ].merging(display.map { ["DISPLAY": $0] } ?? [:]) { $1 }
  }

  /// The process ID of the daemon that this session started; nil if it has ended.
  package var daemonProcess: Int32? {
    daemon.flatMap { $0.isRunning ? $0.processIdentifier : nil }
  }

  /// Locks the default collection.
  package func lock() throws {
    switch program {
    case .gnomeKeyring:
      try call("Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/login")
    case .kWallet:
      try call("Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/kdewallet")
    case .keePassXC: try tellKeePassXC("lockAllDatabases")
    }
    try waitUntil(.locked) { $0.isLocked == true }
  }

  /// Unlocks the default collection again, as the next login does; gnome-keyring takes a new daemon.
  package func unlock() throws {
    switch program {
    case .gnomeKeyring:
      try killDaemon()
      try startDaemon(input: Self.password)
    case .kWallet: try openWallet()
    case .keePassXC:
      try tellKeePassXC("openDatabase", "string:\(databasePath)", "string:\(Self.password)")
    }
    try waitUntil(.unlocked) { $0.failure == nil }
  }

  private func unlockNewDaemon() throws {
    switch program {
    case .gnomeKeyring: try startDaemon(input: Self.password)
    case .kWallet: try startKWallet()
    case .keePassXC: try startKeePassXC()
    }
    try waitUntil(.unlocked) { $0.failure == nil }
  }

  /// Starts a daemon without a password.
  private func startLockedDaemon() throws {
    switch program {
    case .gnomeKeyring: try startDaemon(input: "")
    case .kWallet:
      try writeWalletConfiguration()
      daemon = try start(["kwalletd5"])
    case .keePassXC:
      try writeKeePassXCConfiguration()
      daemon = try start(["keepassxc"])
    }
  }

  /// Lets a gnome-keyring with other keyrings take the place of the present one.
  package func replaceDaemon() throws {
    try killDaemon()
    try FileManager.default.moveItem(at: keyrings, to: formerKeyrings)
    try unlockNewDaemon()
  }

  /// Ends the daemon that ``replaceDaemon()`` started, and starts the first one again.
  package func restoreDaemon() throws {
    try killDaemon()
    try FileManager.default.removeItem(at: keyrings)
    try FileManager.default.moveItem(at: formerKeyrings, to: keyrings)
    try unlockNewDaemon()
  }

  private var keyrings: URL { directory.appending(path: "home/.local/share/keyrings") }
  private var formerKeyrings: URL { directory.appending(path: "former-keyrings") }

  /// Kills the daemon and waits until the bus has noticed.
  package func killDaemon() throws {
    guard let daemon, daemon.isRunning else { throw Failure.noDaemon }
    kill(daemon.processIdentifier, SIGKILL)
    daemon.waitUntilExit()
    try waitUntil(.noService) { $0.service == .absent }
  }

  /// Suspends the daemon, so that it answers no calls.
  package func freezeDaemon() throws {
    guard let pid = daemonProcess else { throw Failure.noDaemon }
    kill(pid, SIGSTOP)
  }

  /// Resumes a suspended daemon.
  package func thawDaemon() throws {
    guard let pid = daemonProcess else { throw Failure.noDaemon }
    kill(pid, SIGCONT)
  }

  /// Waits until the daemon has answered what was asked of it while it was frozen.
  package func waitUntilUsable() throws {
    try waitUntil(.unlocked) { $0.failure == nil }
  }

  /// Runs a program in the session.
  /// - Returns: its standard output.
  @discardableResult
  package func run(_ command: [String], input: String = "") throws -> String {
    let output = Pipe()
    let process = try start(command, input: input, output: output)
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure.commandFailed(command, status: process.terminationStatus)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Calls a method of the Secret Service API, in the notation of dbus-send.
  /// - Returns: the answer as dbus-send prints it.
  @discardableResult
  package func call(
    _ method: String, path: String = "/org/freedesktop/secrets", _ arguments: String...
  ) throws -> String {
    try run(
      [
        "dbus-send", "--bus=\(busAddress)", "--print-reply", "--dest=org.freedesktop.secrets",
        path, "org.freedesktop.Secret.\(method)",
      ] + arguments)
  }

  package static let password = "correct horse"

  /// Writes a keyring without a password, which the daemon unlocks without a prompt.
  private func writeOpenKeyring() throws {
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
    // It prints its address as soon as it listens.
    guard !output.fileHandleForReading.availableData.isEmpty else { throw Failure.noAddress }
  }

  /// - Parameter input: the password; empty for a daemon that stays locked.
  private func startDaemon(input: String) throws {
    let mode = input.isEmpty ? ["--start"] : ["--unlock"]
    daemon = try start(
      ["gnome-keyring-daemon", "--foreground", "--components=secrets"] + mode, input: input)
  }

  private func startScreen() throws {
    let output = Pipe()
    screen = try start(
      ["Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"],
      output: output)
    let number = output.fileHandleForReading.availableData
    guard !number.isEmpty else { throw Failure.noAddress }
    display = ":" + String(decoding: number, as: UTF8.self).trimmingCharacters(in: .newlines)
    if program == .gnomeKeyring { try startPrompter() }
  }

  /// The program that shows the prompts of gnome-keyring.
  private func startPrompter() throws {
    prompter = try start(["/usr/libexec/gcr-prompter"])
    try run([
      "timeout", "--signal=KILL", "20", "sh", "-c",
      """
      until dbus-send --bus="$0" --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus \
        org.freedesktop.DBus.NameHasOwner string:org.gnome.keyring.SystemPrompter | grep -q true
      do sleep 0.05; done
      """, busAddress,
    ])
  }

  /// Waits for a dialog and presses keys in it, until it has closed. Without an answer within a minute
  /// the daemon is killed, because a prompt has no time limit.
  /// - Parameters:
  ///   - window: a part of its title.
  ///   - text: what is typed before the return key.
  package func answer(window: String, text: String) throws -> Process {
    let script = """
      shown() { xdotool search --onlyvisible --name "$1" 2>/dev/null | tail -n 1 | grep .; }
      until w=$(shown "$1"); do sleep 0.05; done
      while w=$(shown "$1"); do
        xdotool windowfocus "$w"
        if [ -n "$2" ]; then xdotool key ctrl+a; xdotool type --delay 5 "$2"; fi
        xdotool key Return
        for i in $(seq 40); do shown "$1" >/dev/null || exit 0; sleep 0.05; done
      done
      """
    return try startOrKillDaemon(script, window, text)
  }

  /// Presses the return key in each dialog with such a title, until the process is ended. Without an end
  /// within a minute the daemon is killed.
  package func confirmDialogs(window: String) throws -> Process {
    try startOrKillDaemon(
      """
      while sleep 0.05; do
        for w in $(xdotool search --onlyvisible --name "$1" 2>/dev/null); do
          xdotool windowfocus "$w" key Return
        done
      done
      """, window)
  }

  private func startOrKillDaemon(_ script: String, _ arguments: String...) throws -> Process {
    guard let daemonProcess else { throw Failure.noDaemon }
    return try start(
      [
        "bash", "-c",
        #"timeout --signal=KILL 60 bash -c "$1" bash "${@:2}" || kill -KILL "$0""#,
        "\(daemonProcess)", script,
      ] + arguments)
  }

  func start(
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

  func waitUntil(
    _ state: State, _ isReached: (SecretServiceStatus) -> Bool
  ) throws {
    let custodian = SecretServiceCustodian(busAddress: busAddress, allowPrompt: false)
    // A busy machine may take half a minute to start KeePassXC.
    let end = ContinuousClock.now + .seconds(60)
    while true {
      let status = custodian.status()
      if isReached(status) { return }
      if ContinuousClock.now > end { throw Failure.notReady(state, status) }
      // Leave the daemon a processor while polling.
      usleep(2000)
    }
  }
}
