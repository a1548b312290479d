import Glibc
import TokenVaultSignIn
import TokenVaultSystem

/// Serves several clients at once, each with one request and one reply, until a request is the
/// expected one.
struct Reception {
  /// The reply to a client, and whether its request ends the wait.
  struct Reply {
    let bytes: [UInt8]
    let isAnswer: Bool
  }

  /// Listening sockets and the protocol of their clients.
  struct Service {
    /// The listening sockets; they stay open.
    let listeners: [Int32]
    /// The size limit for a request, in bytes. `reply` gets one byte more for a request over the
    /// limit.
    let limit: Int
    /// Whether the process at the other end of a connection belongs to this user; nil if the
    /// connection is closed at the other end.
    let isOwn: (Int32) throws(SystemCallError) -> Bool?
    /// The reply to the bytes received so far; nil if the request is incomplete.
    let reply: (_ received: [UInt8], _ isOwn: Bool) -> Reply?
  }

  /// The largest number of clients. One more disconnects the client that has been silent for the
  /// longest time; browsers send their request at once.
  static let mostClients = 32
  /// The time limit for a client's request.
  static let clientMilliseconds = 10_000
  /// The time limit for a client to read its reply and disconnect.
  static let closingMilliseconds = 1_000

  let services: [Service]

  private struct Client {
    let socket: Int32
    let service: Service
    let isOwn: Bool
    var deadline = Deadline(milliseconds: Reception.clientMilliseconds)
    var received: [UInt8] = []
    var unsent: ArraySlice<UInt8>?
    var isAnswer = false
    var isDone = false

    var isClosing: Bool { unsent?.isEmpty == true }
    var events: Int32 { unsent?.isEmpty == false ? POLLOUT : POLLIN }
  }

  /// Serves clients until one of them sends the expected request.
  func run(deadlineMilliseconds: Int, _ cancellation: Cancellation) throws(SignInError) {
    let listeners = services.flatMap { service in service.listeners.map { ($0, service) } }
    let deadline = Deadline(milliseconds: deadlineMilliseconds)
    var clients: [Client] = []
    defer { for client in clients { close(client.socket) } }
    while true {
      // After the expected request only its reply matters: no client is accepted any more, and a
      // cancellation comes too late.
      let isOver = clients.contains { $0.isAnswer }
      if !isOver, cancellation.isCancelled { throw .cancelled }
      if !isOver, deadline.hasPassed { throw .timedOut }
      var polled = clients.map { pollfd(fd: $0.socket, events: Int16($0.events), revents: 0) }
      if !isOver {
        polled += listeners.map { pollfd(fd: $0.0, events: Int16(POLLIN), revents: 0) }
      }
      _ = unsafe poll(
        &polled, nfds_t(polled.count), Int32(min(100, max(1, deadline.millisecondsLeft))))
      for index in clients.indices {
        // The expected request ends those of the other clients, but not the replies to them.
        if clients[index].unsent == nil, clients.contains(where: \.isAnswer) {
          clients[index].isDone = true
        } else if polled[index].revents != 0 {
          advance(&clients[index])
        }
        if clients[index].deadline.hasPassed { clients[index].isDone = true }
      }
      if clients.contains(where: { $0.isAnswer && $0.isDone }) { return }
      for client in clients where client.isDone { close(client.socket) }
      let waiting = zip(listeners, polled[clients.count...]).filter { $1.revents != 0 }.map(\.0)
      clients.removeAll { $0.isDone }
      if clients.contains(where: \.isAnswer) { continue }
      for (socket, service) in waiting { try accept(socket, service, &clients) }
    }
  }

  private func accept(
    _ listener: Int32, _ service: Service, _ clients: inout [Client]
  ) throws(SignInError) {
    // Bounded, so that a client that keeps connecting does not block the others. It ends after a client
    // that is not this user's: neither the deadline nor this user's browser waits for a crowd of them.
    var isOwnSoFar = true
    for _ in 0..<Self.mostClients where isOwnSoFar {
      guard let socket = SystemCalls.accept(listener) else { return }
      let owner: Bool?
      do throws(SystemCallError) { owner = try service.isOwn(socket) } catch {
        close(socket)
        throw .clientsUnknown(error.errno)
      }
      isOwnSoFar = owner == true
      guard let isOwn = owner else {
        close(socket)
        continue
      }
      if clients.count >= Self.mostClients {
        // Another user's connections do not displace those of this user.
        let oldest =
          clients.firstIndex { !$0.isOwn } ?? clients.firstIndex { $0.unsent == nil } ?? 0
        close(clients.remove(at: oldest).socket)
      }
      clients.append(Client(socket: socket, service: service, isOwn: isOwn))
    }
  }

  private func advance(_ client: inout Client) {
    if client.isClosing { return _ = receive(&client) }
    if client.unsent == nil { read(&client) }
    if client.unsent != nil { write(&client) }
  }

  private func read(_ client: inout Client) {
    guard let bytes = receive(&client) else { return }
    let limit = client.service.limit
    client.received += bytes.prefix(limit + 1 - client.received.count)
    // Bytes without a line break are not parsed again, because a client that sends single bytes
    // would be expensive.
    guard bytes.contains(0x0a) || client.received.count > limit,
      let answer = client.service.reply(client.received, client.isOwn)
    else {
      client.isDone = client.received.count > limit
      return
    }
    client.unsent = answer.bytes[...]
    client.isAnswer = answer.isAnswer
    client.deadline = Deadline(milliseconds: Self.closingMilliseconds)
  }

  private func write(_ client: inout Client) {
    while let rest = client.unsent, !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe send(client.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        client.unsent = rest.dropFirst(count)
      } else {
        if errno != EAGAIN && errno != EINTR { client.isDone = true }
        return
      }
    }
    // Closing a socket with unread bytes resets the connection, and the browser would discard the
    // page. So only the sending side is closed, until the client disconnects.
    shutdown(client.socket, Int32(SHUT_WR))
  }

  /// Returns nil if nothing arrived. Marks the client as done if nothing more can arrive.
  private func receive(_ client: inout Client) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(client.socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    if count > 0 { return Array(bytes[..<count]) }
    if count == 0 || (errno != EAGAIN && errno != EINTR) { client.isDone = true }
    return nil
  }
}
