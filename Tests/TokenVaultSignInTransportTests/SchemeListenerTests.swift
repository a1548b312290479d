import Foundation
import TokenVaultSignIn
import TokenVaultSignInTransport
import Synchronization
import Testing
import TokenVaultSystem
import TokenVaultTestSupport

/// Redirects to a private-use scheme, delivered between two processes of one user.
@Suite(.timeLimit(.minutes(10))) final class SchemeListenerTests {
  private static let uri = RedirectURI.scheme("msauth.com.example.app", rest: "//auth")
  // Short, and independent of TMPDIR, because a socket's path has at most 107 bytes.
  private let directory = "/tmp/tv-scheme-\(UUID().uuidString.prefix(13))"
  private var receiver: SystemRedirectReceiver {
    SystemRedirectReceiver(runtimeDirectory: directory)
  }
  private var room: String { directory + "/tokenvault" }
  private var socketPath: String { room + "/redirect-msauth.com.example.app.sock" }

  init() throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: directory) } catch { Issue.record(error) }
  }

  private func receive(
    _ directory: String? = nil, clients: @escaping @Sendable () -> Void
  ) throws -> [RedirectRequest] {
    let listener = try SystemRedirectReceiver(runtimeDirectory: directory ?? self.directory)
      .listen(for: Self.uri)
    defer { listener.close() }
    #expect(listener.redirectURI == "msauth.com.example.app://auth")
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      clients()
      done.signal()
    }
    defer { done.wait() }
    var evaluated: [RedirectRequest] = []
    try listener.receive(deadlineMilliseconds: 300_000, Cancellation()) { request in
      evaluated.append(request)
      return RedirectResult(
        status: 200, page: "", isAnswer: request.query.contains("state=mine"))
    }
    return evaluated
  }

  @Test(.parity("+handleMSALResponse:sourceApplication:"))
  func rfc8252_section7_1_aURLOpenedByTheDesktopReachesTheWaitingProcess() throws {
    let directory = directory
    let refusal = Mutex<(any Error)?>(nil)
    let evaluated = try receive {
      do throws(HandoverError) {
        try SchemeHandover.deliver(
          url: "msauth.com.example.app://auth?state=other", directory: directory)
      } catch { refusal.withLock { $0 = error } }
      do throws(HandoverError) {
        try SchemeHandover.deliver(
          url: "MSAUTH.com.example.app://auth?code=1&state=mine#_=_", directory: directory)
      } catch { Issue.record(error) }
    }
    #expect(evaluated.map(\.path) == ["//auth", "//auth"])
    #expect(evaluated.map(\.query) == ["state=other", "code=1&state=mine"])
    #expect(refusal.withLock { $0 as? HandoverError } == .refused)
  }

  @Test func aURLWithoutAWaitingSignInIsReported() throws {
    let deliver = { [directory] in
      try SchemeHandover.deliver(url: "msauth.com.example.app://auth?code=1", directory: directory)
    }
    #expect(throws: HandoverError.nobodyWaits) { try deliver() }
    let listener = try receiver.listen(for: Self.uri)
    listener.close()
    #expect(throws: HandoverError.nobodyWaits) { try deliver() }
    // The files that a killed process leaves behind.
    close(try UnixSocket.listen(socketPath))
    #expect(FileManager.default.fileExists(atPath: socketPath))
    #expect(throws: HandoverError.nobodyWaits) { try deliver() }
    try receiver.listen(for: Self.uri).close()
    #expect(!FileManager.default.fileExists(atPath: socketPath))
  }

  @Test func aSecondSessionForASchemeIsRefusedUntilTheFirstEnds() throws {
    let first = try receiver.listen(for: Self.uri)
    #expect(throws: SignInError.sessionAlreadyRunning) { _ = try receiver.listen(for: Self.uri) }
    try receiver.listen(for: .scheme("msauth.other", rest: "//auth")).close()
    first.close()
    try receiver.listen(for: Self.uri).close()
  }

  @Test(arguments: [
    "https://login.example/?code=1", "nodot://auth?code=1", "msauth.com.example.app",
    "../../etc.x://auth", "msauth.com.example.app://auth?a b", "msauth.com.example.app://auth\n",
    "", "msauth.x://" + String(repeating: "a", count: 20_000),
  ])
  func onlyURLsOfPrivateSchemesAreDelivered(url: String) {
    #expect(throws: HandoverError.invalidURL) {
      try SchemeHandover.deliver(url: url, directory: directory)
    }
  }

  @Test func onlyTheUserCanConnectToTheSocket() throws {
    let listener = try receiver.listen(for: Self.uri)
    defer { listener.close() }
    for (path, mode) in [(room, 0o700), (socketPath, 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode)
    }
  }

  @Test func aDirectoryThatOthersCanReadIsNotUsed() throws {
    try FileManager.default.createDirectory(
      atPath: room, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    #expect(throws: SignInError.redirectUnavailable(EACCES)) {
      _ = try receiver.listen(for: Self.uri)
    }
    #expect(throws: HandoverError.failed(errno: EACCES)) {
      try SchemeHandover.deliver(url: "msauth.com.example.app://auth", directory: directory)
    }
    try FileManager.default.removeItem(atPath: room)
    try FileManager.default.createSymbolicLink(atPath: room, withDestinationPath: directory)
    #expect(throws: SignInError.redirectUnavailable(ENOTDIR)) {
      _ = try receiver.listen(for: Self.uri)
    }
  }

  @Test func withoutARuntimeDirectoryListeningFails() {
    #expect(throws: SignInError.redirectUnavailable(ENOENT)) {
      _ = try SystemRedirectReceiver(runtimeDirectory: nil).listen(for: Self.uri)
    }
  }

  @Test func aDirectoryWithALongNameWorks() throws {
    let long = directory + "/" + String(repeating: "long", count: 40)
    try FileManager.default.createDirectory(
      atPath: long, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let evaluated = try receive(long) {
      do throws(HandoverError) {
        try SchemeHandover.deliver(
          url: "msauth.com.example.app://auth?state=mine", directory: long)
      } catch { Issue.record(error) }
    }
    #expect(evaluated.count == 1)
  }

  @Test func garbageAndSilenceAtTheSocketChangeNothing() throws {
    let (path, directory) = (socketPath, directory)
    let evaluated = try receive {
      do {
        var silent: [Int32] = []
        for text in [
          "", "x", "\n", "https://login.example/?state=mine\n", "msauth.other://auth?state=mine\n",
          "msauth.com.example.app://auth?state=mine\u{e9}\n",
          "msauth.com.example.app:" + String(repeating: "a", count: 100_000),
        ] {
          for _ in 0..<10 {
            let socket = try UnixSocket.connect(path)
            _ = UnixSocket.write(Data(text.utf8), to: socket)
            silent.append(socket)
          }
        }
        try SchemeHandover.deliver(
          url: "msauth.com.example.app://auth?state=mine", directory: directory)
        for socket in silent { close(socket) }
      } catch { Issue.record(error) }
    }
    #expect(evaluated.count == 1)
  }

  @Test(.parity("MSALInternalErrorRedirectSchemeNotRegistered -42001"))
  func aSchemeThatNoProgramHandlesIsReportedAtOnce() throws {
    let data = directory + "/data"
    var environment = ["HOME": directory, "XDG_DATA_DIRS": data, "PATH": "/nowhere"]
    func listen() throws {
      try SystemRedirectReceiver(
        runtimeDirectory: directory, registrar: SchemeRegistrar(environment: environment)
      ).listen(for: Self.uri).close()
    }
    #expect(
      throws: SignInError.redirectSchemeNotRegistered(scheme: "msauth.com.example.app")
    ) { try listen() }
    // A program of the tool's own, and one for another scheme.
    let files = FileManager.default
    try files.createDirectory(
      atPath: data + "/applications", withIntermediateDirectories: true)
    let entry = data + "/applications/tool.desktop"
    try Data("MimeType=x-scheme-handler/msauth.com.example.app.other;\n".utf8)
      .write(to: URL(filePath: entry))
    #expect(throws: SignInError.self) { try listen() }
    try Data("MimeType=text/html;x-scheme-handler/msauth.com.example.app;\n".utf8)
      .write(to: URL(filePath: entry))
    try listen()
    try files.removeItem(atPath: entry)
    // `tokenvault` is registered if it is installed.
    let bin = directory + "/bin"
    try files.createDirectory(atPath: bin, withIntermediateDirectories: false)
    try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: bin + "/tokenvault"))
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: bin + "/tokenvault")
    // A directory of that name, as in the runtime directory, is no program.
    environment["PATH"] = "\(directory):\(bin)"
    try listen()
    let made = try String(
      contentsOfFile: directory
        + "/.local/share/applications/tokenvault-msauth.com.example.app.desktop", encoding: .utf8)
    #expect(made.contains("Exec=\(bin)/tokenvault redirect %u\n"))
  }

  @Test func aRegistrationEndsThoughXDGMimeHangs() throws {
    let hanging = directory + "/xdg-mime"
    try Data("#!/bin/sh\necho $$ >\(directory)/pid\nexec sleep 600\n".utf8)
      .write(to: URL(filePath: hanging))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: hanging)
    let registration = SchemeRegistration(
      scheme: "msauth.com.example.app", arguments: ["/usr/bin/true"],
      dataDirectory: directory + "/data",
      environment: ["PATH": "\(directory):/usr/bin:/bin", "HOME": directory],
      patienceMilliseconds: 500)
    // The suite's limit is shorter than the program's sleep.
    #expect(try registration.install())
    #expect(FileManager.default.fileExists(atPath: registration.path))
    // Its end is noticed later: it does not stay as a zombie.
    let deadline = Deadline(milliseconds: 60_000)
    var child: pid_t?
    while child == nil, !deadline.hasPassed {
      usleep(10_000)
      let bytes = FileManager.default.contents(atPath: directory + "/pid") ?? Data()
      let text = String(decoding: bytes, as: UTF8.self)
      child = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    let process = try #require(child)
    #expect(kill(process, SIGKILL) == 0)
    while kill(process, 0) == 0, !deadline.hasPassed { usleep(10_000) }
    #expect(kill(process, 0) == -1 && errno == ESRCH)
  }

  @Test func theReasonOfAFailedRegistrationIsReported() throws {
    // `tokenvault` is found, but a file is in the place of the data directory.
    let program = directory + "/tokenvault"
    try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    let registrar = SchemeRegistrar(environment: [
      "XDG_DATA_HOME": program, "XDG_DATA_DIRS": "/nowhere", "PATH": directory,
    ])
    #expect(throws: SignInError.redirectUnavailable(ENOTDIR)) {
      _ = try SystemRedirectReceiver(runtimeDirectory: directory, registrar: registrar)
        .listen(for: Self.uri)
    }
  }
}
