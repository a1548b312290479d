import Foundation
import TokenVaultSignIn
import TokenVaultSignInTransport
import Testing

/// The browsers of these tests are scripts that record how they were started.
@Suite(.timeLimit(.minutes(10))) final class BrowserCommandTests {
  private let directory = FileManager.default.temporaryDirectory
    .appending(path: "tokenvault-browser-\(UUID().uuidString)")
  private static let url = "https://login.example/authorize?a=%20b&c='d'"

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
  }

  deinit {
    do { try FileManager.default.removeItem(at: directory) } catch { Issue.record(error) }
  }

  private func script(_ name: String, _ body: String) throws {
    // A child process writes the script. If this process did, a child that another test starts at
    // the same time could inherit the open descriptor, and a file open for writing cannot be
    // executed.
    try run(
      "sh",
      [
        "-c", #"printf '%s' "$1" >"$2" && chmod 755 "$2""#, "sh",
        "#!/bin/sh\ncd '\(directory.path)'\n\(body)\n", directory.appending(path: name).path,
      ])
  }

  /// The default patience is practically unlimited, so that a slow machine changes no result.
  private func open(_ command: String = "xdg-open", patience: Int = 300_000) throws -> Bool {
    let environment = ["PATH": "/nowhere:\(directory.path):/usr/bin:/bin", "MARK": "here"]
    return BrowserCommand(command, environment: environment, patienceMilliseconds: patience)
      .open(try address(Self.url))
  }

  private func written(_ name: String) throws -> [String] {
    try String(contentsOf: directory.appending(path: name), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test(arguments: [
    ("xdg-open", [url]), ("xdg-open -a --b=c", ["-a", "--b=c", url]),
    ("xdg-open %s -n", [url, "-n"]), ("xdg-open --app=%s", ["--app=\(url)"]),
    ("  xdg-open\t'a b'  \"c 'd' \\\" \\e\" f\\ g ''", ["a b", "c 'd' \" \\e", "f g", "", url]),
    ("'xdg-open' $MARK ; a*", ["$MARK", ";", "a*", url]),
  ])
  func aCommandIsSplitAndTheURLIsOneArgument(command: String, arguments: [String]) throws {
    try script("xdg-open", #"printf '%s\n' "$@" >arguments; echo "$MARK" >mark"#)
    #expect(try open(command))
    #expect(try written("arguments") == arguments)
    #expect(try written("mark") == ["here"])
  }

  @Test(arguments: ["", "   ", "not-there", "/not/there", "xdg-open 'a", "xdg-open \\", "fails"])
  func aCommandThatCannotStartOrFailsAtOnceIsReported(command: String) throws {
    try script("xdg-open", "exit 0")
    try script("fails", "exit 3")
    #expect(try !open(command))
  }

  @Test func aBrowserInheritsNoDescriptor() throws {
    // As a shell passes one on with `--passphrase-fd 7 7<FILE`.
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { (ends + [connection]).forEach { close($0) } }
    // The shell's own descriptors are the script and the list.
    try script(
      "xdg-open", #"for one in /proc/$$/fd/*; do readlink "$one"; done >fds.new; mv fds.new fds"#)
    #expect(try open())
    for target in try written("fds") {
      #expect(target == "/dev/null" || target.hasPrefix(directory.path), "\(target)")
    }
  }

  @Test func aRunningBrowserIsDetachedAndLeavesNoZombie() throws {
    let gate = directory.appending(path: "gate").path
    #expect(unsafe mkfifo(gate, 0o600) == 0)
    try script(
      "xdg-open",
      """
      cat /proc/$$/stat >stat.new
      output=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2); echo "$output" >output
      mv stat.new stat; read line <gate
      """)
    #expect(try open(patience: 20))
    let stat = directory.appending(path: "stat").path
    while !FileManager.default.fileExists(atPath: stat) { usleep(1000) }
    let fields = try #require(try written("stat").first).split(separator: " ").map(String.init)
    #expect(fields[0] == fields[5], "a session of its own")
    #expect(try written("output") == ["/dev/null", "/dev/null", "/dev/null"])
    // Opens the other end of the FIFO, which ends the script.
    try Data("\n".utf8).write(to: URL(filePath: gate))
    while FileManager.default.fileExists(atPath: "/proc/\(fields[0])") { usleep(1000) }
  }
}
