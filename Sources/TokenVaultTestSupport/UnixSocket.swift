package import Foundation

/// Blocking Unix domain sockets for fake peers.
package enum UnixSocket {
  /// A socket that listens on a path.
  package static func listen(_ path: String) throws -> Int32 {
    unsafe try open(path) { unsafe bind($0, $1, $2) == 0 && Glibc.listen($0, 64) == 0 }
  }

  /// A socket that is connected to a path.
  package static func connect(_ path: String) throws -> Int32 {
    unsafe try open(path) { unsafe Glibc.connect($0, $1, $2) == 0 }
  }

  /// The bytes of the next read; nil at the end.
  package static func read(_ socket: Int32) -> Data? {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = unsafe Glibc.read(socket, &bytes, bytes.count)
    return count > 0 ? Data(bytes[..<count]) : nil
  }

  /// Writes all bytes.
  /// - Returns: false if the peer has closed the connection.
  package static func write(_ data: Data, to socket: Int32) -> Bool {
    var rest = Array(data)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func open(
    _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    precondition(name.count < 108)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isOpen = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe use(socket, $0, size) }
    }
    guard isOpen else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return socket
  }
}
