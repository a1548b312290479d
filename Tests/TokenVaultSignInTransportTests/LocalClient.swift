import Foundation
import Synchronization

/// A client on this machine that sends arbitrary bytes. Reading waits for at most a minute.
struct LocalClient: Sendable {
  let socket: Int32

  /// Connects; nil if the connection is refused.
  init?(_ host: String, _ port: UInt16) {
    var address = sockaddr_storage()
    let isSix = host.contains(":")
    let size = unsafe withUnsafeMutablePointer(to: &address) { storage in
      if isSix {
        unsafe storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          unsafe $0.pointee.sin6_family = sa_family_t(AF_INET6)
          unsafe $0.pointee.sin6_port = port.bigEndian
          unsafe inet_pton(AF_INET6, host, &$0.pointee.sin6_addr)
        }
        return MemoryLayout<sockaddr_in6>.size
      }
      unsafe storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        unsafe $0.pointee.sin_family = sa_family_t(AF_INET)
        unsafe $0.pointee.sin_port = port.bigEndian
        unsafe inet_pton(AF_INET, host, &$0.pointee.sin_addr)
      }
      return MemoryLayout<sockaddr_in>.size
    }
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let socket = Glibc.socket(isSix ? AF_INET6 : AF_INET, kind, 0)
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(socket, $0, socklen_t(size))
      }
    }
    guard result == 0 else {
      Glibc.close(socket)
      return nil
    }
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    unsafe setsockopt(
      socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    self.socket = socket
  }

  @discardableResult
  func write(_ bytes: some Sequence<UInt8>) -> Bool {
    ScriptedServer.Peer(socket: socket).write(bytes)
  }

  /// Reads until the other side disconnects.
  func readToEnd() -> String {
    var all: [UInt8] = []
    while let more = ScriptedServer.Peer(socket: socket).read() { all += more }
    return String(decoding: all, as: UTF8.self)
  }

  /// Disconnects with a reset.
  func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func close() { Glibc.close(socket) }

  /// Sends one request and returns the reply; empty if the connection is refused.
  static func ask(_ request: String, _ port: UInt16, host: String = "127.0.0.1") -> String {
    guard let client = LocalClient(host, port) else { return "" }
    defer { client.close() }
    client.write(request.utf8)
    return client.readToEnd()
  }
}
