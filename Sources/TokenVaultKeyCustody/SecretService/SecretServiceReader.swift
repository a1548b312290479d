import Glibc
internal import TokenVaultCrypto
internal import TokenVaultModel
internal import TokenVaultSystem

/// Reads from the Secret Service without libsecret: one conversation, one deadline.
///
/// The order of calls works around gnome-keyring 42, which registers a new client concurrently with
/// that client's first call. If the first call is OpenSession, the daemon may abort. If it is
/// ReadAlias, the daemon may answer as if there were no collection; that happened 4 times in 2,000
/// with 16 clients at once. So ReadAlias is sent first, alone, and again until it names a
/// collection, which proves that the client is registered.
///
/// Searches never name the schema: in a locked collection such a search finds nothing, exactly as
/// for a key that does not exist.
struct SecretServiceReader: ~Copyable {
  var bus: SessionBus
  /// The first ReadAlias call, until its answer has been read.
  private var asked: UInt32?
  private var collection = "/"

  private init(bus: consuming SessionBus) { self.bus = bus }

  /// Connects and requests the default collection without waiting for the answer. This does not
  /// start a service that is not running.
  static func begin(
    _ address: String?, _ deadline: Deadline
  ) throws(CustodyError) -> SecretServiceReader {
    var reader = SecretServiceReader(bus: try SessionBus.open(address, deadline))
    reader.asked = reader.askForCollection(flags: DBusWriter.noAutoStart)
    try reader.bus.flush()
    return reader
  }

  /// Connects and reads the name of the default collection.
  static func open(
    _ address: String?, _ deadline: Deadline
  ) throws(CustodyError) -> SecretServiceReader {
    var reader = try begin(address, deadline)
    try reader.findCollection(deadline)
    return reader
  }

  /// Waits for the name of the default collection.
  mutating func findCollection(_ deadline: Deadline) throws(CustodyError) {
    bus.deadline = deadline
    if let asked {
      self.asked = nil
      do throws(CustodyError) { collection = try answer(to: asked) } catch .noService {
        // It is not running; this call lets the bus start it.
        collection = try answer(to: askForCollection())
      }
    }
    for pause in [useconds_t(1), 2, 4, 8] where collection == "/" {
      usleep(pause * 1000)
      collection = try answer(to: askForCollection())
    }
    if collection == "/" { throw .noDefaultCollection }
  }

  private mutating func askForCollection(flags: UInt8 = 0) -> UInt32 {
    bus.call(.secrets("ReadAlias", "s"), flags: flags) { $0.string("default") }
  }

  private mutating func answer(to alias: UInt32) throws(CustodyError) -> String {
    var answer = try bus.reply(to: alias, "o")
    return try answer.objectPath()
  }

  /// The first key of this generation that `accept` approves.
  mutating func firstKey(
    _ id: GroupKeyID, where accept: (borrowing SecretBytes) -> Bool
  ) throws(CustodyError) -> SecretBytes {
    let session = bus.call(.secrets("OpenSession", "sv")) {
      $0.string("plain")
      $0.signature("s")
      $0.string("")
    }
    let search = bus.call(.secrets("SearchItems", "a{ss}")) { $0.dictionary(id.attributes) }
    var opened = try bus.reply(to: session, "vo")
    guard try opened.signature() == "s" else { throw .badAnswer }
    try opened.skipBytes(terminated: true)
    let sessionPath = try opened.objectPath()
    let found = try items(search)

    let calls = found.unlocked.map { item in
      bus.call(.secrets("GetSecret", "o", path: item, interface: itemInterface)) {
        $0.string(sessionPath)
      }
    }
    var vanished = 0
    for call in calls {
      do throws(CustodyError) {
        var answer = try bus.reply(to: call, "(oayays)")
        _ = try answer.objectPath()
        try answer.skipBytes(terminated: false)
        let text = try answer.secret()
        if let key = Self.key(text), accept(key) { return key }
      } catch .refused(let name) where goneNames.contains(name) {
        vanished += 1
      }
    }
    if !found.locked.isEmpty { throw .locked }
    if vanished < calls.count { throw .wrongKey }
    try requireUnlocked()
    throw .keyMissing(generation: id.generation)
  }

  /// Whether an item with this id exists; throws `locked` when that cannot be known.
  mutating func contains(_ id: GroupKeyID) throws(CustodyError) -> Bool {
    let search = bus.call(.secrets("SearchItems", "a{ss}")) { $0.dictionary(id.attributes) }
    let found = try items(search)
    if !found.unlocked.isEmpty { return true }
    if !found.locked.isEmpty { throw .locked }
    try requireUnlocked()
    return false
  }

  /// All generations that are stored for a group, in ascending order.
  mutating func generations(of groupID: [UInt8]) throws(CustodyError) -> [UInt64] {
    let search = bus.call(.secrets("SearchItems", "a{ss}")) {
      $0.dictionary([("group", Hexadecimal.encode(groupID))])
    }
    let found = try items(search)
    // The attributes of a locked item are hashes.
    if !found.locked.isEmpty { throw .locked }
    let calls = found.unlocked.map { item in
      bus.call(.secrets("Get", "ss", path: item, interface: propertiesInterface)) {
        $0.string(itemInterface)
        $0.string("Attributes")
      }
    }
    var generations: Set<UInt64> = []
    for call in calls {
      do throws(CustodyError) {
        var answer = try bus.reply(to: call, "v")
        guard try answer.signature() == "a{ss}" else { throw .badAnswer }
        for (name, value) in try answer.dictionary() where name == "generation" {
          // Only the form that `store` writes: no id finds "+7" or "007".
          if let generation = UInt64(value), String(generation) == value {
            generations.insert(generation)
          }
        }
      } catch .refused(let name) where goneNames.contains(name) {
      }
    }
    if generations.isEmpty { try requireUnlocked() }
    return generations.sorted()
  }

  /// Throws `locked` if the default collection is locked: it may hold items that a search missed.
  mutating func requireUnlocked() throws(CustodyError) {
    let property = bus.call(
      .secrets("Get", "ss", path: collection, interface: propertiesInterface)
    ) {
      $0.string("org.freedesktop.Secret.Collection")
      $0.string("Locked")
    }
    var answer = try bus.reply(to: property, "v")
    guard try answer.signature() == "b" else { throw .badAnswer }
    if try answer.uint32() != 0 { throw .locked }
  }

  mutating func items(
    _ search: UInt32, atMost limit: Int = 256
  ) throws(CustodyError) -> (unlocked: [String], locked: [String]) {
    var answer = try bus.reply(to: search, "aoao")
    let unlocked = try answer.objectPaths()
    let locked = try answer.objectPaths()
    // A forged answer must not cause thousands of calls.
    guard unlocked.count <= limit else { throw .badAnswer }
    return (unlocked, locked)
  }

  /// The key in an item's text; nil when the text is not a key.
  private static func key(_ text: borrowing SecretBytes) -> SecretBytes? {
    do throws(CryptoError) {
      let key = try Base64URL.decodeSecret(text)
      if key.count != groupKeySize { return nil }
      return key
    } catch {
      return nil
    }
  }
}

let itemInterface = "org.freedesktop.Secret.Item"
let propertiesInterface = "org.freedesktop.DBus.Properties"

/// The errors that services return for an item that was deleted between the search and the call.
let goneNames = [
  "org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownObject",
  "org.freedesktop.DBus.Error.UnknownMethod",
]
