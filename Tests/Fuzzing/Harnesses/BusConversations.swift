import Glibc
import TokenVaultCrypto
import TokenVaultSystem

@testable import TokenVaultKeyCustody

/// Conversations with a bus, and a Secret Service behind it, of an attacker. An input's first byte
/// selects the question, the others are all that the bus sends, over a real socket.
enum BusConversations {
  static func read(_ input: [UInt8]) {
    guard let question = input.first, listener >= 0 else { return }
    let deadline = Deadline(milliseconds: 5_000)
    do throws(CustodyError) {
      var reader = try SecretServiceReader.begin(address, deadline)
      let peer = accept(listener, nil, nil)
      precondition(peer >= 0)
      defer { close(peer) }
      let answer = Array(input.dropFirst())
      precondition(unsafe send(peer, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count)
      shutdown(peer, Int32(SHUT_WR))
      try reader.findCollection(deadline)
      try ask(question, &reader)
    } catch {
      // The bus has closed the connection, so nothing may wait for it.
      precondition(error != .timedOut)
    }
  }

  private static func ask(
    _ question: UInt8, _ reader: inout SecretServiceReader
  ) throws(CustodyError) {
    let id = GroupKeyID(groupID: [UInt8](repeating: 1, count: 16), generation: 1)
    switch question {
    case UInt8(ascii: "k"):
      let key = try reader.firstKey(id) { _ in true }
      let count = key.count
      precondition(count == 32)
    case UInt8(ascii: "c"): _ = try reader.items(id)
    case UInt8(ascii: "g"):
      let generations = try reader.generations(of: id.groupID)
      precondition(generations == Set(generations).sorted())
    case UInt8(ascii: "p"):
      let items = try reader.peerItems([("service", "x")])
      precondition(items.count <= 1 << 14)
    case UInt8(ascii: "l"): _ = try reader.lockedCollections()
    default: return
    }
  }

  /// In the abstract namespace, where no file is left.
  private static let name = "tokenvault-fuzz-\(getpid())"
  private static let address = "unix:abstract=\(name)"

  private static let listener: Int32 = {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var own = sockaddr_un()
    own.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &own.sun_path) {
      unsafe $0.copyBytes(from: [0] + Array(name.utf8))
    }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
    let isBound = unsafe withUnsafePointer(to: &own) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, size)
      }
    }
    precondition(isBound == 0 && listen(listener, 4) == 0, "cannot listen")
    return listener
  }()
}
