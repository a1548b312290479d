import Glibc
import TokenVaultSignIn
import TokenVaultSystem

/// Serves several clients at once, each of which says one thing and gets one reply, until one of
/// them says what is waited for.
struct Reception {
  /// What a client is told, and whether the wait is over.
  struct Reply {
    let bytes: [UInt8]
    let isAnswer: Bool
  }

  /// One more pushes out the one that has been silent for longest: a browser speaks at once.
  static let mostClients = 32
  /// How long a client may take for everything.
  static let clientMilliseconds = 10_000
  /// How long a client may take to read its reply and hang up.
  static let partingMilliseconds = 1_000

  /// Sockets that listen; they are not closed.
  let listeners: [Int32]
  /// How many bytes a client may say; `reply` is asked once more with one byte beyond it.
  let limit: Int
  /// Whether a client is spoken with at all.
  var admits: (Int32) -> Bool = { _ in true }

  private struct Client {
    let socket: Int32
    var deadline = Deadline(milliseconds: Reception.clientMilliseconds)
    var received: [UInt8] = []
    var unsent: ArraySlice<UInt8>?
    var isAnswer = false
    var isDone = false

    var isParting: Bool { unsent?.isEmpty == true }
    var events: Int32 { unsent?.isEmpty == false ? POLLOUT : POLLIN }
  }

  /// Waits.
  /// - Parameter reply: what a client is told who has said this so far; nil where more is to come.
  func run(
    deadlineMilliseconds: Int, _ cancellation: Cancellation, reply: ([UInt8]) -> Reply?
  ) throws(SignInError) {
    let deadline = Deadline(milliseconds: deadlineMilliseconds)
    var clients: [Client] = []
    defer { for client in clients { close(client.socket) } }
    while true {
      // Once the answer is there only its reply matters: nobody comes in, and giving up is too late.
      let isOver = clients.contains { $0.isAnswer }
      if !isOver, cancellation.isCancelled { throw .cancelled }
      if !isOver, deadline.hasPassed { throw .timedOut }
      var polled = clients.map { pollfd(fd: $0.socket, events: Int16($0.events), revents: 0) }
      if !isOver {
        polled += listeners.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      }
      _ = unsafe poll(&polled, nfds_t(polled.count), Int32(min(100, max(1, deadline.left))))
      for index in clients.indices {
        // The answer ends what others have to say, and leaves them their replies.
        if clients[index].unsent == nil, clients.contains(where: \.isAnswer) {
          clients[index].isDone = true
        } else if polled[index].revents != 0 {
          advance(&clients[index], reply)
        }
        if clients[index].deadline.hasPassed { clients[index].isDone = true }
      }
      if clients.contains(where: { $0.isAnswer && $0.isDone }) { return }
      for client in clients where client.isDone { close(client.socket) }
      let waiting = polled[clients.count...].filter { $0.revents != 0 }.map(\.fd)
      clients.removeAll { $0.isDone }
      if clients.contains(where: \.isAnswer) { continue }
      for listener in waiting { welcome(listener, &clients) }
    }
  }

  private func welcome(_ listener: Int32, _ clients: inout [Client]) {
    // A bounded turn: who connects without end does not keep the others from theirs.
    for _ in 0..<Self.mostClients {
      guard let socket = SystemCalls.accept(listener) else { return }
      guard admits(socket) else {
        close(socket)
        continue
      }
      if clients.count >= Self.mostClients {
        let oldest = clients.firstIndex { $0.unsent == nil } ?? 0
        close(clients.remove(at: oldest).socket)
      }
      clients.append(Client(socket: socket))
    }
  }

  private func advance(_ client: inout Client, _ reply: ([UInt8]) -> Reply?) {
    if client.isParting { return _ = receive(&client) }
    if client.unsent == nil { listen(&client, reply) }
    if client.unsent != nil { speak(&client) }
  }

  private func listen(_ client: inout Client, _ reply: ([UInt8]) -> Reply?) {
    guard let bytes = receive(&client) else { return }
    client.received += bytes.prefix(limit + 1 - client.received.count)
    // What has no line more than before is not looked at again: a client that sends single bytes
    // would be expensive.
    guard bytes.contains(0x0a) || client.received.count > limit,
      let said = reply(client.received)
    else {
      client.isDone = client.received.count > limit
      return
    }
    client.unsent = said.bytes[...]
    client.isAnswer = said.isAnswer
    client.deadline = Deadline(milliseconds: Self.partingMilliseconds)
  }

  private func speak(_ client: inout Client) {
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
    // Closing a socket with unread bytes resets the connection, and the browser would throw the
    // page away: say that there is no more, and wait until the client has hung up.
    shutdown(client.socket, Int32(SHUT_WR))
  }

  /// Nil where nothing came; the client is done when nothing will.
  private func receive(_ client: inout Client) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(client.socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    if count > 0 { return Array(bytes[..<count]) }
    if count == 0 || (errno != EAGAIN && errno != EINTR) { client.isDone = true }
    return nil
  }
}
