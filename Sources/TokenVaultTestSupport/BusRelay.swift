public import Foundation
import Synchronization

/// Passes bytes between clients and a bus, so that a test can see how far a conversation came,
/// record it, or let a connection go unanswered.
public final class BusRelay: Sendable {
  /// Where clients connect, as in `DBUS_SESSION_BUS_ADDRESS`.
  public let busAddress: String
  private let listener: Int32
  private let answers = Mutex(Data())

  /// Starts to listen.
  /// - Parameters:
  ///   - service: whose bus the bytes go to.
  ///   - answered: how many connections are passed on; later ones are accepted and left alone.
  ///   - sending: is told of what a client sent before it is passed on,
  ///   - sent: and after that.
  public init(
    to service: PrivateSecretService, answered: Int = .max,
    sending: @escaping @Sendable (Data) -> Void = { _ in },
    sent: @escaping @Sendable (Data) -> Void = { _ in }
  ) throws {
    let path = service.directory.appending(path: "relay-\(UUID().uuidString.prefix(8))").path
    busAddress = "unix:path=\(path)"
    listener = try UnixSocket.listen(path)
    let bus = service.directory.appending(path: "bus").path
    Thread.detachNewThread { [self] in
      var connections = 0
      while case let client = accept(listener, nil, nil), client >= 0 {
        connections += 1
        if connections > answered { continue }
        Thread.detachNewThread { self.pass(client, bus, sending, sent) }
      }
      close(listener)
    }
  }

  /// Everything that the bus answered so far, on all connections.
  public var recordedAnswers: Data { answers.withLock { $0 } }

  /// Stops listening.
  public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func pass(
    _ client: Int32, _ bus: String, _ sending: (Data) -> Void, _ sent: (Data) -> Void
  ) {
    defer { close(client) }
    let server: Int32
    do {
      server = try UnixSocket.connect(bus)
    } catch {
      return
    }
    defer { close(server) }
    while true {
      var ends = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
        pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      guard unsafe poll(&ends, 2, -1) > 0 else { return }
      if ends[0].revents != 0 {
        guard let data = UnixSocket.read(client) else { return }
        sending(data)
        guard UnixSocket.write(data, to: server) else { return }
        sent(data)
      }
      if ends[1].revents != 0 {
        guard let data = UnixSocket.read(server) else { return }
        answers.withLock { $0 += data }
        guard UnixSocket.write(data, to: client) else { return }
      }
    }
  }
}

/// Blocking Unix sockets for fake peers.
public enum UnixSocket {
  /// A socket that listens at the path.
  public static func listen(_ path: String) throws -> Int32 {
    unsafe try open(path) { unsafe bind($0, $1, $2) == 0 && Glibc.listen($0, 64) == 0 }
  }

  /// A socket that is connected to the path.
  public static func connect(_ path: String) throws -> Int32 {
    unsafe try open(path) { unsafe Glibc.connect($0, $1, $2) == 0 }
  }

  /// What is there to read; nil at the end.
  public static func read(_ socket: Int32) -> Data? {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = unsafe Glibc.read(socket, &bytes, bytes.count)
    return count > 0 ? Data(bytes[..<count]) : nil
  }

  /// Writes all of it.
  /// - Returns: false when the peer is gone.
  public static func write(_ data: Data, to socket: Int32) -> Bool {
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
