import Glibc

/// A connection to a message bus, for one short conversation under one deadline.
///
/// Hand-written because each maintained library costs more time to load than the whole
/// conversation takes: see docs/decisions/0003-lean-secret-service-read.md.
struct SessionBus: ~Copyable {
  /// An honest conversation takes a few kilobytes.
  private static let limit = 1 << 20

  private let socket: Int32
  /// Over all that is waited for from now on.
  var deadline: Deadline
  private let buffer = ReceiveBuffer()
  private var parsed = 0
  private var replies: [Reply] = []
  private var pending = DBusWriter()
  private var lastSerial: UInt32 = 0
  /// The call whose answer has not been looked at yet.
  private var greeting: UInt32?

  private struct Reply {
    let serial: UInt32
    let errorName: String?
    let signature: String
    let body: Range<Int>
  }

  private init(socket: Int32, deadline: Deadline) {
    self.socket = socket
    self.deadline = deadline
  }

  /// Connects, and queues what greets the bus. Nothing is waited for: the peer's credentials are
  /// the kernel's, so the exchange is a formality, and the bus reads in order.
  /// - Parameter address: as in `DBUS_SESSION_BUS_ADDRESS`.
  static func open(_ address: String?, _ deadline: Deadline) throws(CustodyError) -> SessionBus {
    var bus = SessionBus(socket: try connect(address, deadline), deadline: deadline)
    bus.pending.raw(
      "\0AUTH EXTERNAL \(hexadecimal(Array(String(geteuid()).utf8)))\r\nBEGIN\r\n")
    bus.greeting = bus.call(.bus("Hello"))
    return bus
  }

  /// Looks at the bus's answers to the greeting, once.
  private mutating func greeted() throws(CustodyError) {
    guard let hello = greeting else { return }
    greeting = nil
    do throws(CustodyError) { try authenticated() } catch .serviceGone { throw .noBus }
    _ = try reply(to: hello, "s")
  }

  /// Sends what is queued.
  mutating func flush() throws(CustodyError) {
    do throws(CustodyError) { try send() } catch .serviceGone where greeting != nil { throw .noBus }
  }

  deinit { close(socket) }

  /// Queues a call, which leaves with the next wait for a reply.
  /// - Returns: its serial.
  mutating func call(
    _ call: DBusCall, flags: UInt8 = 0, _ body: (inout DBusWriter) -> Void = { _ in }
  ) -> UInt32 {
    lastSerial += 1
    pending.call(lastSerial, call, flags: flags, body)
    return lastSerial
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
        if let name = reply.errorName { throw Self.error(named: name) }
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
        try deadline.wait(socket, POLLOUT)
      } else if errno != EINTR {
        throw .serviceGone
      }
    }
    if sent > 0 { pending = DBusWriter() }
  }

  private mutating func receive() throws(CustodyError) {
    guard buffer.count < Self.limit else { throw .badAnswer }
    try deadline.wait(socket, POLLIN)
    let count = unsafe buffer.receive {
      unsafe recv(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
    if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { throw .serviceGone }
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

  /// Takes in the next message if all of it is there; what is no reply is dropped.
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
    guard bodySize <= Self.limit, fieldsSize <= Self.limit else { throw .badAnswer }
    let body = parsed + 16 + (fieldsSize + 7) / 8 * 8
    guard buffer.count >= body + bodySize else { return false }

    var replySerial: UInt32?
    var errorName: String?
    var signature = ""
    let fieldsEnd = parsed + 16 + fieldsSize
    var fields = DBusReader(buffer, parsed..<fieldsEnd)
    try fields.skip(16)
    while fields.offset < fieldsEnd {
      try fields.align(8)
      let code = try fields.byte()
      switch (code, try fields.signature()) {
      case (5, "u"): replySerial = try fields.uint32()
      case (4, "s"): errorName = try fields.string()
      case (8, "g"): signature = try fields.signature()
      case (_, "u"): _ = try fields.uint32()
      case (_, "g"): _ = try fields.signature()
      case (_, "s"), (_, "o"): try fields.skipBytes(terminated: true)
      default: throw .badAnswer
      }
    }
    parsed = body + bodySize
    guard type == 2 || type == 3 else { return true }
    guard let replySerial, (type == 3) == (errorName != nil) else { throw .badAnswer }
    replies.append(
      Reply(
        serial: replySerial, errorName: errorName, signature: signature,
        body: body..<body + bodySize))
    return true
  }

  private static func error(named name: String) -> CustodyError {
    switch name {
    case "org.freedesktop.DBus.Error.ServiceUnknown",
      "org.freedesktop.DBus.Error.NameHasNoOwner":
      .noService
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected":
      .serviceGone
    case "org.freedesktop.DBus.Error.TimedOut": .timedOut
    case "org.freedesktop.Secret.Error.IsLocked": .locked
    case _ where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."): .noService
    default: .refused(name: name)
    }
  }
}

extension SessionBus {
  private static func connect(
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
      // A bus that no longer accepts must not hold us for longer than the deadline.
      var patience = deadline.remaining
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
        guard let high = rest.popFirst().flatMap(nibble), let low = rest.popFirst().flatMap(nibble)
        else { return nil }
        bytes.append(high << 4 | low)
      }
    }
    return bytes.isEmpty || bytes.contains(0) ? nil : bytes
  }

  private static func nibble(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// A moment of the monotonic clock.
struct Deadline {
  private let moment: Int

  init(milliseconds: Int) { moment = Self.now() + milliseconds * 1000 }

  var remaining: timeval {
    let left = max(moment - Self.now(), 1)
    return timeval(tv_sec: left / 1_000_000, tv_usec: left % 1_000_000)
  }

  /// Waits until the descriptor is ready.
  func wait(_ descriptor: Int32, _ events: Int32) throws(CustodyError) {
    while true {
      let left = moment - Self.now()
      guard left > 0 else { throw .timedOut }
      var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let ready = unsafe poll(&entry, 1, Int32(clamping: (left + 999) / 1000))
      if ready > 0 { return }
      if ready < 0 && errno != EINTR { throw .serviceGone }
    }
  }

  private static func now() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }
}
