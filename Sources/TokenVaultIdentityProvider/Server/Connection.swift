import Foundation
import Glibc

/// A connection from a client. It closes when the last reference is released.
final class Connection {
  private static let maximumBytes = 1 << 20
  private let socket: Int32
  private var pending: [UInt8] = []

  init(_ socket: Int32) {
    self.socket = socket
    limitIdleTime(seconds: 60)
    var one: Int32 = 1
    unsafe setsockopt(
      socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(socket) }

  /// Limits how long the client may send nothing; 0 for no limit.
  private func limitIdleTime(seconds: Int) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    unsafe setsockopt(
      socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// The next request's head and body. Nil at the end, after a minute without data, for a request
  /// of more than 1 MiB, and for a chunked one.
  func readRequest() -> (head: String, body: [UInt8])? {
    let blank = Array("\r\n\r\n".utf8)
    var end: Int?
    while true {
      end = pending.firstRange(of: blank)?.lowerBound
      if end != nil { break }
      guard receive() else { return nil }
    }
    guard let end else { return nil }
    let head = String(decoding: pending[..<end], as: UTF8.self)
    let lines = head.lowercased().components(separatedBy: "\r\n")
    guard !lines.contains(where: { $0.hasPrefix("transfer-encoding:") }) else { return nil }
    let length =
      lines.first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
    guard (0...Self.maximumBytes).contains(length) else { return nil }
    if lines.contains("expect: 100-continue") { send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
    let start = end + blank.count
    while pending.count < start + length {
      guard receive() else { return nil }
    }
    let body = Array(pending[start..<(start + length)])
    pending.removeFirst(start + length)
    return (head, body)
  }

  private func receive() -> Bool {
    guard pending.count < 2 * Self.maximumBytes else { return false }
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    let count = unsafe recv(socket, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    pending += chunk[..<count]
    return true
  }

  /// Sends an answer; returns false if the connection must be closed.
  @discardableResult func send(_ reply: Reply) -> Bool {
    if reply.ending == .cut { return false }
    if reply.ending == .hang {
      limitIdleTime(seconds: 0)
      // The client sends nothing more, so that this ends when it closes the connection.
      while receive() {}
      return false
    }
    var head = "HTTP/1.1 \(reply.status) \(reply.status < 400 ? "OK" : "Error")\r\n"
    for (name, value) in reply.headers { head += "\(name): \(value)\r\n" }
    head += "Content-Length: \(reply.body.count)\r\n\r\n"
    if reply.ending == .half {
      send(Array(head.utf8) + reply.body[..<(reply.body.count / 2)])
      return false
    }
    return send(Array(head.utf8) + reply.body)
  }

  @discardableResult private func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(
          socket, buffer.baseAddress.map { unsafe $0 + sent }, buffer.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
