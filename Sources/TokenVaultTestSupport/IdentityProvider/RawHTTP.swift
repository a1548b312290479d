package import Foundation
import Glibc

/// A minimal blocking HTTP client. It sends a request exactly as given and follows no redirect.
package struct RawHTTP: Sendable {
  /// An unchanged answer.
  package struct Answer: Sendable {
    /// The status code.
    package let status: Int
    /// By name in lower case; the last value of a repeated header.
    package let headers: [String: String]
    /// The bytes after the head.
    package let body: Data
    /// Creates an answer.
    package init(status: Int, headers: [String: String], body: Data) {
      (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as a JSON object; empty if it is not one.
    package var object: [String: Any] {
      // absent is an answer: a test that looks for a member fails then
      (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:]
    }
  }

  /// Why there is no answer.
  package enum Failure: Error {
    case badURL(String)
    case notConnected(Int32)
    /// The connection closed before the end of the answer.
    case cut
  }

  /// Sends a request on a new connection and waits up to five minutes for the answer.
  package static func send(
    _ method: String = "GET", _ url: String, headers: [String: String] = [:], body: Data = Data()
  ) throws -> Answer {
    guard let parts = URLComponents(string: url), parts.scheme == "http", let host = parts.host
    else { throw Failure.badURL(url) }
    let port = UInt16(parts.port ?? 80)
    let isV6 = host.contains(":")
    let name = isV6 && !host.hasPrefix("[") ? "[\(host)]" : host
    let socket = try connected(isV6: isV6, port: port)
    defer { close(socket) }
    // Not from URLComponents, which percent-encodes invalid characters.
    let rest = url.dropFirst("http://".count)
    let path = rest[(rest.firstIndex { "/?".contains($0) } ?? rest.endIndex)...]
      .prefix { $0 != "#" }
    let target = path.hasPrefix("/") ? String(path) : "/" + path
    var head =
      "\(method) \(target) HTTP/1.1\r\nHost: \(name):\(port)\r\nConnection: close\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    head += "Content-Length: \(body.count)\r\n\r\n"
    try write(Array(head.utf8) + body, to: socket)
    return try parse(readAll(socket))
  }

  private static func connected(isV6: Bool, port: UInt16) throws -> Int32 {
    let family = isV6 ? AF_INET6 : AF_INET
    let made = Glibc.socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: 300, tv_usec: 0)
    unsafe setsockopt(
      made, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var v4 = sockaddr_in()
    v4.sin_family = sa_family_t(AF_INET)
    v4.sin_port = port.bigEndian
    v4.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var v6 = sockaddr_in6()
    v6.sin6_family = sa_family_t(AF_INET6)
    v6.sin6_port = port.bigEndian
    v6.sin6_addr = in6addr_loopback
    let status =
      isV6
      ? unsafe withUnsafeBytes(of: &v6) { unsafe connect(made, $0) }
      : unsafe withUnsafeBytes(of: &v4) { unsafe connect(made, $0) }
    guard status == 0 else {
      let code = errno
      close(made)
      throw Failure.notConnected(code)
    }
    return made
  }

  private static func connect(_ socket: Int32, _ address: UnsafeRawBufferPointer) -> Int32 {
    unsafe Glibc.connect(
      socket, address.baseAddress?.assumingMemoryBound(to: sockaddr.self),
      socklen_t(address.count))
  }

  private static func write(_ bytes: [UInt8], to socket: Int32) throws {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(
          socket, buffer.baseAddress.map { unsafe $0 + sent }, buffer.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure.cut }
      sent += count
    }
  }

  private static func readAll(_ socket: Int32) -> Data {
    var all = Data()
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = unsafe recv(socket, &chunk, chunk.count, 0)
      guard count > 0 else { return all }
      all.append(contentsOf: chunk[..<count])
    }
  }

  private static func parse(_ bytes: Data) throws -> Answer {
    guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { throw Failure.cut }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count > 1, let status = Int(words[1]) else { throw Failure.cut }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] =
        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    let body = Data(bytes[end.upperBound...])
    if let length = headers["content-length"].flatMap({ Int($0) }), body.count < length {
      throw Failure.cut
    }
    return Answer(status: status, headers: headers, body: body)
  }
}
