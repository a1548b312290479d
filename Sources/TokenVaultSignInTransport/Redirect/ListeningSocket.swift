import Glibc
import TokenVaultSystem

/// Listening sockets for clients on this machine.
enum ListeningSocket {
  /// Listens on 127.0.0.1.
  /// - Parameter port: 0 for a free port.
  /// - Returns: the socket and its port.
  static func v4(_ port: UInt16) throws(SystemCallError) -> (socket: Int32, port: UInt16) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let socket = try open(AF_INET)
    try bind(socket, &address)
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Listens on [::1] only.
  static func v6(_ port: UInt16) throws(SystemCallError) -> (socket: Int32, port: UInt16) {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0[15] = 1 }
    let socket = try open(AF_INET6)
    try bind(socket, &address)
    return (socket, UInt16(bigEndian: address.sin6_port))
  }

  /// Listens at a path, for this user only.
  static func unix(_ path: String) throws(SystemCallError) -> Int32 {
    var address = try unixAddress(path)
    let socket = try open(AF_UNIX)
    try bind(socket, &address)
    if unsafe chmod(path, 0o600) != 0 {
      let failure = SystemCallError(errno: errno, call: "chmod")
      close(socket)
      throw failure
    }
    return socket
  }

  /// Connects to a socket at a path.
  static func connect(unix path: String) throws(SystemCallError) -> Int32 {
    var address = try unixAddress(path)
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw SystemCallError(errno: errno, call: "socket") }
    let size = socklen_t(MemoryLayout.size(ofValue: address))
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(socket, $0, size)
      }
    }
    if result == 0 { return socket }
    let failure = SystemCallError(errno: errno, call: "connect")
    close(socket)
    throw failure
  }

  /// Whether the process at the other end of a Unix socket belongs to this user.
  static func isOwn(_ socket: Int32) -> Bool {
    (try? SystemCalls.peerUser(socket)) == geteuid()  // absent is an answer: not this user's
  }

  /// Whether the process at the other end of a TCP connection belongs to this user; nil if the
  /// connection is closed at the other end, and so has no owner any more.
  static func isOwnTCP(_ socket: Int32) throws(SystemCallError) -> Bool? {
    guard let user = try SystemCalls.tcpPeerUser(socket) else { return nil }
    guard user == geteuid() else { return false }
    if UserNamespace.hides(user) { throw SystemCallError(errno: EOVERFLOW, call: "geteuid") }
    return true
  }

  private static func open(_ family: Int32) throws(SystemCallError) -> Int32 {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let socket = Glibc.socket(family, Int32(kind), 0)
    guard socket >= 0 else { throw SystemCallError(errno: errno, call: "socket") }
    // Lets a fixed port be used again right after a sign-in. It does not let two processes listen.
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if family == AF_INET6 {
      unsafe setsockopt(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size)
    }
    return socket
  }

  /// Binds, listens, and stores the resulting address; closes the socket on failure.
  private static func bind<Address>(
    _ socket: Int32, _ address: inout Address
  ) throws(SystemCallError) {
    var size = socklen_t(MemoryLayout<Address>.size)
    let isListening = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.bind(socket, $0, size) == 0 && listen(socket, 64) == 0
          && getsockname(socket, $0, &size) == 0
      }
    }
    if isListening { return }
    let failure = SystemCallError(errno: errno, call: "bind")
    close(socket)
    throw failure
  }

  private static func unixAddress(_ path: String) throws(SystemCallError) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw SystemCallError(errno: ENAMETOOLONG, call: "bind")
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    return address
  }
}
