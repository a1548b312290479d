import Foundation
import Testing
import TokenVaultTestSupport

/// A directory that sshfs mounts, from an SFTP server at the other end of a socket.
private final class RemoteDirectory {
  let mount: String
  private let client: Process
  private let server: Process

  init(in directory: URL) throws {
    let source = directory.appending(path: "source").path
    mount = directory.appending(path: "mount").path
    for path in [source, mount] {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
    let (toServer, toClient) = (Pipe(), Pipe())
    (server, client) = (Process(), Process())
    server.executableURL = URL(filePath: "/usr/lib/openssh/sftp-server")
    (server.standardInput, server.standardOutput) = (toServer, toClient)
    client.executableURL = URL(filePath: "/usr/bin/sshfs")
    client.arguments = ["-f", "-o", "passive", ":\(source)", mount]
    (client.standardInput, client.standardOutput) = (toClient, toServer)
    try server.run()
    try client.run()
    while client.isRunning, try !isMounted() { usleep(5_000) }
    try #require(client.isRunning, "sshfs does not mount a directory of this machine")
  }

  private func isMounted() throws -> Bool {
    try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8).contains(" \(mount) ")
  }

  func unmount() throws {
    let command = Process()
    command.executableURL = URL(filePath: "/usr/bin/fusermount3")
    command.arguments = ["-u", mount]
    try command.run()
    command.waitUntilExit()
    client.waitUntilExit()
    server.waitUntilExit()
  }
}

@Suite(.timeLimit(.minutes(5))) struct NetworkHomeTests {
  @Test func aVaultOnANetworkFileSystemIsRefused() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada))
    let remote = try RemoteDirectory(in: machine.session.directory)
    defer { #expect(throws: Never.self) { try remote.unmount() } }
    let copy = remote.mount + "/vault"
    try machine.run(["/bin/cp", "-a", machine.vault.path, copy])
    let commands = [["list"], ["token"], ["import", "-"], ["group", "rekey"]]
    for vault in [copy, remote.mount + "/new"] {
      for command in commands where vault == copy || command[0] == "import" {
        let ran = try machine.run(
          [built("tokenvault"), "--vault-dir", vault] + command, input: Person.cache(.bob))
        #expect(ran.status == 77, "\(command): \(ran.errors)")
        #expect(ran.errors.contains("is on a network file system"), "\(ran.errors)")
        #expect(ran.errors.contains("next: export TOKENVAULT_HOME="))
      }
    }
    #expect(try machine.usernames() == [Person.ada.username])
    // A backup may go to another machine.
    try machine.succeed("group", "backup", Machine.group, remote.mount + "/backup")
  }
}
