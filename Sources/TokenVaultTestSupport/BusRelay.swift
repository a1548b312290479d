package import Foundation
import Synchronization

/// Relays bytes between clients and a bus, so that a test can follow a conversation, record it, or
/// leave a connection without an answer.
package final class BusRelay: Sendable {
  /// The address for clients, as in `DBUS_SESSION_BUS_ADDRESS`.
  package let busAddress: String
  private let listener: Int32
  private let answers = Mutex(Data())

  /// Starts to listen.
  /// - Parameters:
  ///   - service: the session whose bus receives the bytes.
  ///   - answered: how many connections are relayed; later ones are accepted and get no answer.
  ///   - sending: called with a client's bytes before they are relayed.
  ///   - sent: called with a client's bytes after they were relayed.
  package init(
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

  /// The bus's answers so far, on all connections.
  package var recordedAnswers: Data { answers.withLock { $0 } }

  /// Stops listening.
  package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

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
