import Glibc
import TokenVaultSignIn
import TokenVaultSystem

/// Receives a redirect on a loopback address (RFC 8252 section 7.3).
final class LoopbackListener: StartPageServing {
  let redirectURI: String
  private var sockets: [Int32]
  private var start = StartAddress()
  private let isOwn: (Int32) throws(SystemCallError) -> Bool?

  /// Listens on the host's address; for `localhost` on both, with the same port, if the machine has
  /// both.
  /// - Parameter isOwn: whether the other end of a connection belongs to this user; nil if it is closed.
  init(
    _ host: RedirectURI.Loopback, port: UInt16?, path: String,
    isOwn: @escaping (Int32) throws(SystemCallError) -> Bool? = ListeningSocket.isOwnTCP
  ) throws(SystemCallError) {
    self.isOwn = isOwn
    let chosen: UInt16
    switch host {
    case .v4:
      let bound = try ListeningSocket.v4(port ?? 0)
      (sockets, chosen) = ([bound.socket], bound.port)
    case .v6:
      let bound = try ListeningSocket.v6(port ?? 0)
      (sockets, chosen) = ([bound.socket], bound.port)
    case .localhost: (sockets, chosen) = try Self.both(port)
    }
    redirectURI = RedirectURI.loopback(host, port: chosen, path: path).description
  }

  deinit { close() }

  func close() {
    for socket in sockets { Glibc.close(socket) }
    sockets = []
  }

  func serve(_ page: StartPage) throws(SignInError) -> HTTPURL {
    try start.serve(page, at: redirectURI)
  }

  func receive(
    deadlineMilliseconds: Int, _ cancellation: Cancellation,
    evaluate: (RedirectRequest) -> RedirectResult
  ) throws(SignInError) {
    try withoutActuallyEscaping(evaluate) { evaluate throws(SignInError) in
      let service = Reception.Service.http(sockets, isOwn: isOwn) { request in
        self.start.evaluate(request) ?? evaluate(request)
      }
      try Reception(services: [service]).run(
        deadlineMilliseconds: deadlineMilliseconds, cancellation)
    }
  }

  private static func both(_ port: UInt16?) throws(SystemCallError) -> ([Int32], UInt16) {
    var attempts = 0
    while true {
      let first = try ListeningSocket.v4(port ?? 0)
      do throws(SystemCallError) {
        return ([first.socket, try ListeningSocket.v6(first.port).socket], first.port)
      } catch {
        // A machine without IPv6, whose browser cannot use it either.
        if [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.errno) {
          return ([first.socket], first.port)
        }
        Glibc.close(first.socket)
        attempts += 1
        // Another process has the port at the IPv6 address, and would receive the code.
        guard error.errno == EADDRINUSE, port == nil, attempts < 16 else { throw error }
      }
    }
  }
}
