import Glibc
import TokenVaultSignIn
import TokenVaultSystem

/// Receives a redirect to a private-use scheme (RFC 8252 section 7.1). The desktop passes the URL
/// to another process of the same user, which delivers it with ``SchemeHandover``.
///
/// A request's path is the part of the URL between the scheme and the question mark, which
/// ``RedirectURI`` calls `rest`.
final class SchemeListener: StartPageServing {
  let redirectURI: String
  private let scheme: String
  private var meeting: MeetingPlace?
  private let socket: Int32
  private let lock: Int32
  /// The listener for the start page; a private-use scheme itself has none.
  private var startSocket: Int32?
  private var start = StartAddress()

  init(_ scheme: String, rest: String, runtimeDirectory: String) throws(SignInError) {
    self.scheme = scheme
    redirectURI = RedirectURI.scheme(scheme, rest: rest).description
    do throws(SystemCallError) {
      let place = try MeetingPlace(runtimeDirectory, scheme: scheme, creating: true)
      let lock = try SystemCalls.open(
        place.lock, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
      var held = false
      defer { if !held { Glibc.close(lock) } }
      guard try SystemCalls.ofdLock(lock, exclusive: true) else {
        throw SystemCallError(errno: EEXIST, call: "fcntl")
      }
      // The lock's holder owns the socket's name: an existing socket is left from a killed process.
      unsafe unlink(place.socket)
      socket = try ListeningSocket.unix(place.socket)
      held = true
      self.lock = lock
      meeting = consume place
    } catch {
      if error.call == "fcntl", error.errno == EEXIST { throw .sessionAlreadyRunning }
      throw .redirectUnavailable(error.errno)
    }
  }

  deinit { close() }

  func close() {
    guard let meeting = meeting.take() else { return }
    unsafe unlink(meeting.socket)
    Glibc.close(socket)
    Glibc.close(lock)
    if let startSocket { Glibc.close(startSocket) }
  }

  func serve(_ page: StartPage) throws(SignInError) -> HTTPURL {
    let bound: (socket: Int32, port: UInt16)
    do { bound = try ListeningSocket.v4(0) } catch { throw .redirectUnavailable(error.errno) }
    startSocket = bound.socket
    return try start.serve(page, at: "http://127.0.0.1:\(bound.port)/")
  }

  func receive(
    deadlineMilliseconds: Int, _ cancellation: Cancellation,
    evaluate: (RedirectRequest) -> RedirectResult
  ) throws(SignInError) {
    try withoutActuallyEscaping(evaluate) { evaluate throws(SignInError) in
      let handover = Reception.Service(
        listeners: meeting == nil ? [] : [socket], limit: RedirectRequest.limit,
        isOwn: { ListeningSocket.isOwn($0) },
        reply: { bytes, isOwn in self.handover(bytes, isOwn: isOwn, evaluate) })
      let pages = Reception.Service.http(
        startSocket.map { [$0] } ?? [], isOwn: ListeningSocket.isOwnTCP
      ) { request in
        if let page = self.start.evaluate(request) { return page }
        // The caller reports it. It is never the response, which has another way.
        if request.isOfOtherUser { return evaluate(request) }
        return RedirectResult(status: 404, page: RedirectPage.foreign, isAnswer: false)
      }
      try Reception(services: [handover, pages]).run(
        deadlineMilliseconds: deadlineMilliseconds, cancellation)
    }
  }

  private func handover(
    _ bytes: [UInt8], isOwn: Bool, _ evaluate: (RedirectRequest) -> RedirectResult
  ) -> Reception.Reply {
    let line = bytes.prefix { $0 != 0x0a }
    guard isOwn, bytes.contains(0x0a), let request = Self.request(line, scheme) else {
      return Reception.Reply(bytes: SchemeHandover.refused, isAnswer: false)
    }
    let isAnswer = evaluate(request).isAnswer
    return Reception.Reply(
      bytes: isAnswer ? SchemeHandover.taken : SchemeHandover.refused, isAnswer: isAnswer)
  }

  private static func request(_ line: ArraySlice<UInt8>, _ scheme: String) -> RedirectRequest? {
    guard line.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
    let text = String(decoding: line, as: UTF8.self)
    guard text.prefix(scheme.count + 1).lowercased() == scheme + ":" else { return nil }
    let rest = text.dropFirst(scheme.count + 1).prefix { $0 != "#" }
    let path = rest.prefix { $0 != "?" }
    return RedirectRequest(path: String(path), query: String(rest.dropFirst(path.count + 1)))
  }
}
