import Glibc
internal import TokenVaultModel
internal import TokenVaultSystem

/// A connection to a message bus, for one short conversation under one deadline.
///
/// Hand-written because each maintained library costs more time to load than the whole
/// conversation takes: see docs/decisions/0003-lean-secret-service-read.md.
struct SessionBus: ~Copyable {
  /// The most bytes that are accepted; an honest conversation about keys takes a few kilobytes.
  var limit = 1 << 20

  private let socket: Int32
  /// Limits every wait from now on.
  var deadline: Deadline
  private let buffer = ReceiveBuffer()
  private var parsed = 0
  private var replies: [Reply] = []
  private var signals: [DBusSignal] = []
  private var listens = false
  /// A well-known name, and the program to which calls for it go.
  private var pinned: (name: String, owner: String)?
  private var pending = DBusWriter()
  private var lastSerial: UInt32 = 0
  /// The Hello call, until its answer has been checked.
  private var greeting: UInt32?

  private struct Reply {
    let serial: UInt32
    let sender: String
    let errorName: String?
    let signature: String
    let body: Range<Int>
  }

  private init(socket: Int32, deadline: Deadline) {
    self.socket = socket
    self.deadline = deadline
  }

  /// Connects and queues the authentication and the Hello call, without waiting for answers: the
  /// kernel vouches for the peer's credentials, so the exchange is a formality, and the bus reads in
  /// order.
  /// - Parameter address: as in `DBUS_SESSION_BUS_ADDRESS`.
  static func open(_ address: String?, _ deadline: Deadline) throws(CustodyError) -> SessionBus {
    var bus = SessionBus(socket: try connect(address, deadline), deadline: deadline)
    bus.pending.raw(
      "\0AUTH EXTERNAL \(Hexadecimal.encode(Array(String(geteuid()).utf8)))\r\nBEGIN\r\n")
    bus.greeting = bus.call(.bus("Hello"))
    return bus
  }

  /// Goes on with a connection on which the authentication, Hello and further calls were sent.
  /// - Parameter calls: their number; Hello has the serial 1.
  static func adopt(_ socket: Int32, calls: UInt32, _ deadline: Deadline) -> SessionBus {
    var bus = SessionBus(socket: socket, deadline: deadline)
    bus.greeting = 1
    bus.lastSerial = calls
    return bus
  }

  /// Checks the bus's answers to the authentication and the Hello call, once.
  private mutating func greeted() throws(CustodyError) {
    guard let hello = greeting else { return }
    greeting = nil
    do throws(CustodyError) { try authenticated() } catch .serviceGone { throw .noBus }
    _ = try reply(to: hello, "s")
  }

  /// Sends the queued calls, for a caller that has other work to do before it reads the replies.
  mutating func flush() throws(CustodyError) {
    do throws(CustodyError) { try send() } catch .serviceGone where greeting != nil { throw .noBus }
  }

  deinit { close(socket) }

  /// Queues a call, which is sent with the next wait for a reply.
  /// - Returns: its serial.
  mutating func call(
    _ call: DBusCall, flags: UInt8 = 0, _ body: (inout DBusWriter) -> Void = { _ in }
  ) -> UInt32 {
    lastSerial += 1
    var call = call
    if let pinned, pinned.name == call.destination { call.destination = pinned.owner }
    pending.call(lastSerial, call, flags: flags, body)
    return lastSerial
  }

  /// Sends later calls for a name to the program that answered this call, although another one may
  /// take the name: a conversation stays with the program with which it began.
  mutating func pin(_ name: String, toSenderOf serial: UInt32) throws(CustodyError) {
    guard let sender = replies.first(where: { $0.serial == serial })?.sender,
      sender.utf8.first == UInt8(ascii: ":"), sender.utf8.count < 256,
      sender.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: ":")).contains($0) || $0 == 46 })
    else { throw .badAnswer }
    pinned = (name, sender)
  }

  /// The unique name of the program with which the conversation goes on.
  var pinnedOwner: String? { pinned?.owner }

  /// Requests the signals that fit a rule (D-Bus Specification, "Match Rules"), and keeps them.
  mutating func listen(_ rule: String) {
    listens = true
    _ = call(.bus("AddMatch", "s")) { $0.string("type='signal'," + rule) }
  }

  /// Waits for the next signal.
  mutating func nextSignal() throws(CustodyError) -> DBusSignal {
    try flush()
    try greeted()
    while signals.isEmpty {
      while try !parseMessage() { try receive() }
    }
    return signals.removeFirst()
  }

  /// A reader of a signal's body, which has the given signature.
  func body(of signal: DBusSignal, _ signature: String) throws(CustodyError) -> DBusReader {
    guard signal.signature == signature else { throw .badAnswer }
    return DBusReader(buffer, signal.body)
  }

  /// Waits for the reply to a call.
  /// - Returns: a reader of its body, which has the given signature.
  mutating func reply(
    to serial: UInt32, _ signature: String
  ) throws(CustodyError) -> DBusReader {
    try flush()
    try greeted()
    while true {
      if let reply = replies.first(where: { $0.serial == serial }) {
        if let name = reply.errorName { throw error(named: name) }
        guard reply.signature == signature else { throw .badAnswer }
        return DBusReader(buffer, reply.body)
      }
      while try !parseMessage() { try receive() }
    }
  }

  private mutating func send() throws(CustodyError) {
    var sent = 0
    while sent < pending.bytes.count {
      let count = unsafe pending.bytes.withUnsafeBytes {
        unsafe Glibc.send(
          socket, $0.baseAddress?.advanced(by: sent), $0.count - sent,
          Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        try wait(POLLOUT)
      } else if errno != EINTR {
        throw .serviceGone
      }
    }
    if sent > 0 { pending = DBusWriter() }
  }

  private mutating func receive() throws(CustodyError) {
    guard buffer.count < limit else { throw .badAnswer }
    try wait(POLLIN)
    let count = unsafe buffer.receive {
      unsafe recv(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
    if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { throw .serviceGone }
  }

  private func wait(_ events: Int32) throws(CustodyError) {
    let isReady: Bool
    do throws(SystemCallError) {
      isReady = try deadline.wait(for: events, on: socket)
    } catch { throw .serviceGone }
    guard isReady else { throw .timedOut }
  }

  private mutating func authenticated() throws(CustodyError) {
    while true {
      let line = buffer.bytes[..<buffer.count]
      if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
        guard line.starts(with: "OK ".utf8) else {
          throw .refused(name: "org.freedesktop.DBus.Error.AuthFailed")
        }
        parsed = end + 1
        return
      }
      guard buffer.count < 512 else { throw .badAnswer }
      try receive()
    }
  }

  /// Parses the next message if it has arrived in full; drops calls, and signals that were not
  /// requested.
  private mutating func parseMessage() throws(CustodyError) -> Bool {
    guard buffer.count - parsed >= 16 else { return false }
    var header = DBusReader(buffer, parsed..<buffer.count)
    let order = try header.byte()
    let type = try header.byte()
    _ = try header.byte()
    let version = try header.byte()
    guard order == UInt8(ascii: "l"), version == 1 else { throw .badAnswer }
    let bodySize = Int(try header.uint32())
    _ = try header.uint32()
    let fieldsSize = Int(try header.uint32())
    guard bodySize <= limit, fieldsSize <= limit else { throw .badAnswer }
    let body = parsed + 16 + (fieldsSize + 7) / 8 * 8
    guard buffer.count >= body + bodySize else { return false }

    var replySerial: UInt32?
    var errorName: String?
    var (sender, signature, path, member) = ("", "", "", "")
    let fieldsEnd = parsed + 16 + fieldsSize
    var fields = DBusReader(buffer, parsed..<fieldsEnd)
    try fields.skip(16)
    while fields.offset < fieldsEnd {
      try fields.align(8)
      let code = try fields.byte()
      switch (code, try fields.signature()) {
      case (5, "u"): replySerial = try fields.uint32()
      case (4, "s"): errorName = try fields.string()
      case (7, "s"): sender = try fields.string()
      case (8, "g"): signature = try fields.signature()
      case (1, "o") where type == 4: path = try fields.string()
      case (3, "s") where type == 4: member = try fields.string()
      case (_, "u"): _ = try fields.uint32()
      case (_, "g"): _ = try fields.signature()
      case (_, "s"), (_, "o"): try fields.skipBytes(terminated: true)
      default: throw .badAnswer
      }
    }
    parsed = body + bodySize
    if type == 4, listens {
      signals.append(
        DBusSignal(
          path: path, member: member, signature: signature, body: body..<body + bodySize))
    }
    guard type == 2 || type == 3 else { return true }
    guard let replySerial, (type == 3) == (errorName != nil) else { throw .badAnswer }
    replies.append(
      Reply(
        serial: replySerial, sender: sender, errorName: errorName, signature: signature,
        body: body..<body + bodySize))
    return true
  }

  private func error(named name: String) -> CustodyError {
    switch name {
    case "org.freedesktop.DBus.Error.ServiceUnknown",
      "org.freedesktop.DBus.Error.NameHasNoOwner":
      // The program with which the conversation began has left the bus.
      pinned == nil ? .noService : .serviceGone
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected":
      .serviceGone
    case "org.freedesktop.DBus.Error.TimedOut": .timedOut
    case "org.freedesktop.Secret.Error.IsLocked": .locked
    case _ where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."): .noService
    default: .refused(name: name)
    }
  }
}
