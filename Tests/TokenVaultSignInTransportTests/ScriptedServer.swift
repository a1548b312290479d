import Foundation
import Synchronization

/// A server on 127.0.0.1 that sends any reply, HTTP or not. Each connection has a thread of its
/// own.
final class ScriptedServer: Sendable {
  /// A connection, as the script uses it.
  struct Peer {
    let socket: Int32

    /// Writes all bytes; false if the client has disconnected.
    @discardableResult
    func write(_ bytes: some Sequence<UInt8>) -> Bool {
      var rest = Array(bytes)[...]
      while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes {
          unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    @discardableResult
    func write(_ text: String) -> Bool { write(text.utf8) }

    /// Writes a response with a body; false if the client has disconnected.
    @discardableResult
    func answer(_ body: some Collection<UInt8>, _ headers: String = "") -> Bool {
      write("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\(headers)\r\n") && write(body)
    }

    /// Reads at least a byte; nil at the end.
    func read() -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: 65536)
      let count = unsafe recv(socket, &bytes, bytes.count, 0)
      return count > 0 ? Array(bytes[..<count]) : nil
    }

    /// Waits until the client disconnects.
    func waitForTheEnd() { while read() != nil {} }
  }

  let port: UInt16
  private let listener: Int32
  private let seen = Mutex<(requests: [String], connections: Int)>(([], 0))

  /// - Parameters:
  ///   - reading: whether to read requests; if not, the script is called once, with an empty text.
  ///   - script: called with the text of each request; false ends the connection.
  init(
    reading: Bool = true, _ script: @escaping @Sendable (Peer, String) -> Bool
  ) throws {
    listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isBound = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, 64) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    port = UInt16(bigEndian: address.sin_port)
    // The server runs as long as its process, unless it is stopped.
    Thread.detachNewThread { [self] in
      while case let client = accept(descriptor, nil, nil), client >= 0 {
        seen.withLock { $0.connections += 1 }
        Thread.detachNewThread { self.serve(Peer(socket: client), reading, script) }
      }
      close(descriptor)
    }
  }

  /// A server that sends the same response to every request.
  convenience init(answering text: String, closing: Bool = false) throws {
    try self.init { peer, _ in peer.write(text) && !closing }
  }

  /// A server that replies to the first bytes with a text, and disconnects.
  static func blunt(_ text: String) throws -> ScriptedServer {
    try ScriptedServer(reading: false) { peer, _ in
      _ = peer.read()
      peer.write(text)
      return false
    }
  }

  var url: String { "http://127.0.0.1:\(port)" }
  /// The texts of all requests so far, in order.
  var requests: [String] { seen.withLock { $0.requests } }
  var connections: Int { seen.withLock { $0.connections } }

  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve(_ peer: Peer, _ reading: Bool, _ script: (Peer, String) -> Bool) {
    defer { close(peer.socket) }
    if !reading {
      _ = script(peer, "")
      shutdown(peer.socket, Int32(SHUT_WR))
      return peer.waitForTheEnd()
    }
    var received: [UInt8] = []
    while true {
      while let request = Self.takeRequest(&received) {
        seen.withLock { $0.requests.append(request) }
        guard script(peer, request) else {
          shutdown(peer.socket, Int32(SHUT_WR))
          return
        }
      }
      guard let more = peer.read() else { return }
      received += more
    }
  }

  private static func takeRequest(_ bytes: inout [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let head = text[..<end.upperBound]
    let length = head.lowercased().split(separator: "content-length: ").dropFirst().first
      .flatMap { Int($0.prefix { $0.isNumber }) }
    let count = head.utf8.count + (length ?? 0)
    guard bytes.count >= count else { return nil }
    defer { bytes.removeFirst(count) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
