package import Foundation
import Glibc
import Synchronization

/// Serves a provider on 127.0.0.1. Each connection has a thread, so that slow and hanging answers,
/// which tests ask for, do not delay other clients.
package final class Server: Sendable {
  /// The port could not be opened.
  package struct CannotListen: Error, CustomStringConvertible {
    /// The value of errno.
    package let code: Int32

    package var description: String {
      "The port cannot be opened: \(unsafe String(cString: strerror(code)))."
    }
  }

  /// The port that the server listens on.
  package let port: UInt16
  private let listener: Int32
  private let provider: Mutex<Provider>
  private let prefix: [String]
  private let base: String
  private let client: String

  /// Opens a port; 0 for a free one.
  /// - Parameter address: the provider's public URL behind a reverse proxy, such as
  ///   `https://localhost:8443/idp`; nil for the server's own.
  package init(port: UInt16, address: String?, configuration: Configuration) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var one: Int32 = 1
    unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = unsafe withUnsafeMutablePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(listener, pointer, size) == 0 && listen(listener, 512) == 0
          && getsockname(listener, pointer, &size) == 0
      }
    }
    guard isListening else { throw CannotListen(code: errno) }
    self.port = UInt16(bigEndian: name.sin_port)
    let base = address ?? "http://127.0.0.1:\(self.port)"
    self.base = base
    client = configuration.clients.first?.id ?? ""
    prefix = base.split(separator: "/").dropFirst(2).map(String.init)
    provider = Mutex(Provider(base: base, configuration: configuration))
  }

  /// A provider file for TokenVault that describes the plain OpenID provider `/oidc/demo`.
  package var providerFile: Data {
    let host = base.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    let members: JSON = [
      "name": "Demo", "issuer": .string("\(base)/oidc/demo"), "clientId": .string(client),
      "scopes": ["User.Read"], "apiHosts": [.string(host)],
    ]
    return Data(members.bytes)
  }

  /// Serves until the process ends.
  package func run() {
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { continue }
      Thread.detachNewThread { self.serve(Connection(connection)) }
    }
  }

  private func serve(_ connection: Connection) {
    while let (head, body) = connection.readRequest() {
      guard let request = Request(head: head, body: body, under: prefix) else {
        connection.send(Reply.json(["error": "bad_request"], status: 400))
        return
      }
      let wait = provider.withLock { $0.delayBefore(request) }
      if wait > 0 { Thread.sleep(forTimeInterval: wait / 1000) }
      let reply = provider.withLock { $0.answer(request) }
      if reply.delay > 0 { Thread.sleep(forTimeInterval: reply.delay / 1000) }
      guard connection.send(reply), request.headers["connection"]?.lowercased() != "close" else {
        return
      }
    }
  }
}
