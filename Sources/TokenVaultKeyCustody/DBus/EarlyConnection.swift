internal import Synchronization
import Glibc

/// A connection to the session bus that a program opened before its runtime started, and on which it sent
/// the first message of ``SecretServiceReader/begin(_:_:)``.
package enum EarlyConnection {
  private static let offered = Mutex<(socket: Int32, path: [UInt8])?>(nil)

  /// Hands over a connected socket.
  /// - Parameter path: the path that it is connected to.
  package static func offer(_ socket: Int32, to path: [UInt8]) {
    offered.withLock { $0 = (socket, path) }
  }

  /// The connection, once; nil if it does not lead to the first socket of this address.
  static func take(_ address: String?) -> Int32? {
    guard let (socket, path) = offered.withLock({ $0.take() }) else { return nil }
    if SessionBus.socketNames(address ?? "").first == path { return socket }
    close(socket)
    return nil
  }
}
