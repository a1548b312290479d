import Foundation
import Glibc

/// A process of another user of this machine. Only root can start one.
package enum OtherUser {
  /// Whether this process may start processes of other users.
  package static var canAct: Bool { geteuid() == 0 }

  /// Sends a request to a port of this machine, as the user `nobody`, and returns the reply.
  /// - Parameter host: an address; `::ffff:127.0.0.1` for a socket of both families.
  package static func send(
    _ request: String, _ port: UInt16, host: String = "127.0.0.1"
  ) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/setpriv")
    process.arguments = [
      "--reuid", "65534", "--regid", "65534", "--clear-groups", "--", "/usr/bin/python3", "-I",
      "-c",
      program, request, host, String(port),
    ]
    process.currentDirectoryURL = URL(filePath: "/")
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let reply = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: reply, as: UTF8.self)
  }

  private static let program = """
    import os, socket, sys
    assert os.getuid() == 65534
    client = socket.socket(socket.AF_INET6 if ":" in sys.argv[2] else socket.AF_INET)
    client.settimeout(60)
    client.connect((sys.argv[2], int(sys.argv[3])))
    client.sendall(sys.argv[1].encode())
    try:
        while more := client.recv(4096):
            sys.stdout.buffer.write(more)
    except ConnectionError:
        pass
    """
}
