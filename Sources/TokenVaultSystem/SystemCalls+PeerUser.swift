internal import TokenVaultCSystem
import Glibc

extension SystemCalls {
  /// The user who owns the other end of a TCP connection within this machine.
  /// - Parameter table: reads the kernel's lists of sockets, which takes longer the more there are. It
  ///   is called only where the kernel answers no single question, so that another user cannot keep
  ///   this process busy with connections that are closed at once.
  /// - Returns: nil if the other end is closed, or is not a socket of this network namespace.
  /// - Throws: if the kernel does not say.
  package static func tcpPeerUser(
    _ socket: Int32, table: (Int32) throws(SystemCallError) -> UInt32? = SocketTable.peerUser
  ) throws(SystemCallError) -> UInt32? {
    var user: UInt32 = 0
    if unsafe tv_tcp_peer_user(socket, &user) == 0 { return user }
    // ENOENT also means that the kernel lacks the module, and a sandbox may forbid netlink sockets.
    if [ENOENT, ENOTCONN].contains(errno), answersAboutSockets { return nil }
    return try table(socket)
  }

  /// Whether the kernel names the owner of a connection that this process has made to itself.
  private static let answersAboutSockets: Bool = {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let ends = [socket(AF_INET, kind, 0), socket(AF_INET, kind, 0)]
    defer { for end in ends where end >= 0 { close(end) } }
    let isConnected = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(ends[0], $0, size) == 0 && listen(ends[0], 1) == 0
          && getsockname(ends[0], $0, &size) == 0 && connect(ends[1], $0, size) == 0
      }
    }
    // The other end of the accepted socket is owned; that of the connecting one is not before that.
    guard isConnected, let accepted = accept(ends[0]) else { return false }
    defer { close(accepted) }
    var user: UInt32 = 0
    return unsafe tv_tcp_peer_user(accepted, &user) == 0
  }()
}

/// The kernel's lists of TCP sockets, /proc/net/tcp and /proc/net/tcp6.
enum SocketTable {
  /// The owner of the other end of a connection; nil if it is not listed.
  static func peerUser(_ socket: Int32) throws(SystemCallError) -> UInt32? {
    // A client that has reset its connection has no address any more.
    guard let peer = unsafe try end(socket, getpeername),
      let own = unsafe try end(socket, getsockname)
    else { return nil }
    var lists = [own.isV6 ? ("tcp6", own.text, peer.text) : ("tcp", own.text, peer.text)]
    // A socket for both families that connected to an IPv4 address.
    if !own.isV6 { lists.append(("tcp6", mapped + own.text, mapped + peer.text)) }
    for (name, own, peer) in lists {
      let descriptor: Int32
      do { descriptor = try SystemCalls.open("/proc/net/\(name)", O_RDONLY) } catch {
        // A machine without IPv6 has no such list.
        if error.errno == ENOENT, name == "tcp6" { continue }
        throw error
      }
      defer { close(descriptor) }
      guard let bytes = try SystemCalls.readAll(descriptor, limit: 64 << 20) else {
        throw SystemCallError(errno: EFBIG, call: "read")
      }
      if let user = user(in: bytes, local: peer, remote: own) { return user }
    }
    return nil
  }

  /// The owner of the socket with these addresses. Sockets that are closed have no inode and are
  /// listed with user 0.
  static func user(in list: [UInt8], local: String, remote: String) -> UInt32? {
    for line in list.split(separator: 0x0a).dropFirst() {
      let fields = line.split(separator: 0x20).prefix(10).map {
        String(decoding: $0, as: UTF8.self)
      }
      guard fields.count == 10, fields[1] == local, fields[2] == remote,
        fields[3] != listening, fields[9] != "0"
      else { continue }
      return UInt32(fields[7])
    }
    return nil
  }

  private static let listening = "0A"
  /// The first 96 bits of `::ffff:0:0`.
  private static let mapped = "0000000000000000" + hexadecimal(UInt32(0xffff).bigEndian)

  private static func end(
    _ socket: Int32,
    _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) throws(SystemCallError) -> (isV6: Bool, text: String)? {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call(socket, $0, &size) }
    }
    guard result == 0 else {
      if errno == ENOTCONN { return nil }
      throw SystemCallError(errno: errno, call: "getpeername")
    }
    let bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0) }
    // A port is two bytes after the family; an IPv4 address follows it, an IPv6 address begins at 8.
    let isV6 = address.sin6_family == sa_family_t(AF_INET6)
    let words = (isV6 ? [8, 12, 16, 20] : [4]).map { start in
      hexadecimal(
        bytes[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }.littleEndian)
    }
    let port = String(UInt16(bigEndian: address.sin6_port), radix: 16, uppercase: true)
    return (
      isV6, words.joined() + ":" + String(repeating: "0", count: 4 - port.count) + port
    )
  }

  private static func hexadecimal(_ word: UInt32) -> String {
    let digits = String(word, radix: 16, uppercase: true)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
