import Glibc
internal import TokenVaultModel
internal import TokenVaultSystem

extension SessionBus {
  /// Connects to the first address of a list that accepts.
  static func connect(
    _ address: String?, _ deadline: Deadline
  ) throws(CustodyError) -> Int32 {
    for name in socketNames(address ?? "") {
      var peer = sockaddr_un()
      peer.sun_family = sa_family_t(AF_UNIX)
      guard name.count < MemoryLayout.size(ofValue: peer.sun_path) else { continue }
      unsafe withUnsafeMutableBytes(of: &peer.sun_path) { unsafe $0.copyBytes(from: name) }
      // The length counts for abstract names, where zero bytes are part of the name.
      let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
      let socket = Glibc.socket(
        AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard socket >= 0 else { throw .noBus }
      // A bus that no longer accepts must not block the call for longer than the deadline.
      var patience = deadline.socketTimeout
      unsafe setsockopt(
        socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      let result = unsafe withUnsafePointer(to: &peer) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Glibc.connect(socket, $0, size)
        }
      }
      if result == 0 { return socket }
      let failure = errno
      close(socket)
      if failure == EAGAIN { throw .timedOut }
    }
    throw .noBus
  }

  /// The socket names of an address list (D-Bus Specification, "Server Addresses"): paths, and
  /// abstract names with their leading zero byte.
  static func socketNames(_ addresses: String) -> [[UInt8]] {
    addresses.utf8.split(separator: UInt8(ascii: ";")).compactMap { address in
      guard address.starts(with: "unix:".utf8) else { return nil }
      for pair in address.dropFirst(5).split(separator: UInt8(ascii: ",")) {
        if pair.starts(with: "path=".utf8) { return unescaped(pair.dropFirst(5)) }
        if pair.starts(with: "abstract=".utf8) {
          return unescaped(pair.dropFirst(9)).map { [0] + $0 }
        }
      }
      return nil
    }
  }

  private static func unescaped(_ text: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let character = rest.popFirst() {
      if character != UInt8(ascii: "%") {
        bytes.append(character)
      } else {
        guard let high = rest.popFirst().flatMap(Hexadecimal.value),
          let low = rest.popFirst().flatMap(Hexadecimal.value)
        else { return nil }
        bytes.append(high << 4 | low)
      }
    }
    return bytes.isEmpty || bytes.contains(0) ? nil : bytes
  }
}
