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
  /// The calls that look for a key, until their answers have been read.
  private var sought: Search?
  /// The question whether KeePassXC runs, until the bus's answer has been read.
  private var askedForKeePassXC: UInt32?
  /// Whether a search shows a dialog while the collection is locked, as KeePassXC's does.
  private var searchPrompts = false
  private(set) var collection = "/"

  private struct Search {
    let session: UInt32
    let items: UInt32
  }

  private init(bus: consuming SessionBus) { self.bus = bus }

  /// Connects and requests the default collection without waiting for the answer. This does not
  /// start a service that is not running.
  static func begin(
    _ address: String?, _ deadline: Deadline
  ) throws(CustodyError) -> SecretServiceReader {
    if let socket = EarlyConnection.take(address) {
      var reader = SecretServiceReader(bus: .adopt(socket, calls: 3, deadline))
      (reader.asked, reader.askedForKeePassXC) = (2, 3)
      return reader
    }
    var reader = SecretServiceReader(bus: try SessionBus.open(address, deadline))
    reader.asked = reader.askForCollection(flags: DBusWriter.noAutoStart)
    reader.askedForKeePassXC = reader.bus.call(.bus("NameHasOwner", "s")) {
      $0.string("org.keepassxc.KeePassXC.MainWindow")
    }
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
    if let call = askedForKeePassXC {
      askedForKeePassXC = nil
      var runs = try bus.reply(to: call, "b")
      searchPrompts = try runs.uint32() != 0
    }
  }

  /// Searches for items. Throws `locked` if the search would show a dialog.
  mutating func search(_ attributes: [(String, String)]) throws(CustodyError) -> UInt32 {
    if searchPrompts { try requireUnlocked() }
    return bus.call(.secrets("SearchItems", "a{ss}")) { $0.dictionary(attributes) }
  }

  private mutating func askForCollection(flags: UInt8 = 0) -> UInt32 {
    bus.call(.secrets("ReadAlias", "s"), flags: flags) { $0.string("default") }
  }

  private mutating func answer(to alias: UInt32) throws(CustodyError) -> String {
    var answer = try bus.reply(to: alias, "o")
    try bus.pin(DBusCall.secretService, toSenderOf: alias)
    return try answer.objectPath()
  }

  /// Requests a session and the items of this generation without waiting for the answers, which
  /// ``firstKey(_:where:)`` reads.
  mutating func seek(_ id: GroupKeyID) throws(CustodyError) {
    sought = try request(id)
    try bus.flush()
  }

  private mutating func request(_ id: GroupKeyID) throws(CustodyError) -> Search {
    let session = openSession()
    return Search(session: session, items: try search(id.attributes))
  }

  /// The first key of this generation that `accept` approves.
  /// - Parameter meanwhile: is called when the keys have been requested.
  mutating func firstKey(
    _ id: GroupKeyID, meanwhile: () -> Void = {}, where accept: (borrowing SecretBytes) -> Bool
  ) throws(CustodyError) -> SecretBytes {
    let search = if let sought { sought } else { try request(id) }
    sought = nil
    let sessionPath = try path(ofSession: search.session)
    let found = try items(search.items)

    let calls = found.unlocked.map { item in
      bus.call(.secrets("GetSecret", "o", path: item, interface: itemInterface)) {
        $0.string(sessionPath)
      }
    }
    try bus.flush()
    meanwhile()
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

  /// Requests a session without encryption.
  mutating func openSession() -> UInt32 {
    bus.call(.secrets("OpenSession", "sv")) {
      $0.string("plain")
      $0.signature("s")
      $0.string("")
    }
  }

  mutating func path(ofSession call: UInt32) throws(CustodyError) -> String {
    var opened = try bus.reply(to: call, "vo")
    // An empty string, and an empty array of bytes in KWallet.
    let signature = try opened.signature()
    guard signature == "s" || signature == "ay" else { throw .badAnswer }
    try opened.skipBytes(terminated: signature == "s")
    return try opened.objectPath()
  }

  /// The items with this id, locked or not; throws `locked` when there may be others.
  mutating func items(_ id: GroupKeyID) throws(CustodyError) -> [String] {
    let found = try items(try search(id.attributes))
    if found.unlocked.isEmpty { try requireUnlocked() }
    try requireUnlocked(collectionsOf: found.locked)
    return found.unlocked + found.locked
  }

  /// All generations that are stored for a group, in ascending order.
  mutating func generations(of groupID: [UInt8]) throws(CustodyError) -> [UInt64] {
    let found = try items(try search([("group", Hexadecimal.encode(groupID))]))
    // The attributes of an item in a locked collection are hashes.
    try requireUnlocked(collectionsOf: found.locked)
    let calls = (found.unlocked + found.locked).map { item in
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
    if try isLocked(collection) { throw .locked }
  }

  /// Throws `locked` if one of these items is in a locked collection. KeePassXC has items that are
  /// locked for one client only, in a collection that is not.
  private mutating func requireUnlocked(collectionsOf items: [String]) throws(CustodyError) {
    let collections = Set(
      items.map { item in String(item[..<(item.lastIndex(of: "/") ?? item.endIndex)]) })
    for collection in collections where try isLocked(collection) { throw .locked }
  }

  mutating func isLocked(_ collection: String) throws(CustodyError) -> Bool {
    var locked = try property("Locked", of: "Collection", at: collection, "b")
    return try locked.uint32() != 0
  }

  /// The value of a property, of the given signature.
  mutating func property(
    _ name: String, of interface: String, at path: String, _ signature: String
  ) throws(CustodyError) -> DBusReader {
    let call = bus.call(.secrets("Get", "ss", path: path, interface: propertiesInterface)) {
      $0.string("org.freedesktop.Secret.\(interface)")
      $0.string(name)
    }
    var answer = try bus.reply(to: call, "v")
    guard try answer.signature() == signature else { throw .badAnswer }
    return answer
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
