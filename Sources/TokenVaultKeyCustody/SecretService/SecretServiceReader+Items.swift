internal import TokenVaultCrypto

extension SecretServiceReader {
  /// The largest conversation about other programs' items. One of them may be a whole token cache.
  private static let limit = 128 << 20

  /// The items of other programs with these attributes, in the order of their labels.
  mutating func peerItems(
    _ attributes: [(String, String)]
  ) throws(CustodyError) -> [SecretServiceItem] {
    bus.limit = Self.limit
    let search = try search(attributes)
    let found = try items(search, atMost: 1 << 14)
    if !found.locked.isEmpty { throw .locked }
    // A locked collection may hold items that the search missed.
    try requireUnlocked()
    let session = openSession()
    let sessionPath = try path(ofSession: session)
    var items: [SecretServiceItem] = []
    for path in found.unlocked {
      if let item = try peerItem(path, sessionPath) { items.append(item) }
    }
    return items.sorted { ($0.label, $0.path) < ($1.label, $1.path) }
  }

  /// The labels of the locked collections.
  mutating func lockedCollections() throws(CustodyError) -> [String] {
    var list = try property("Collections", of: "Service", at: "/org/freedesktop/secrets", "ao")
    var labels: [String] = []
    for path in try list.objectPaths() {
      do throws(CustodyError) {
        var locked = try property("Locked", of: "Collection", at: path, "b")
        guard try locked.uint32() != 0 else { continue }
        var label = try property("Label", of: "Collection", at: path, "s")
        labels.append(try label.string())
      } catch .refused(let name) where goneNames.contains(name) {
        continue
      }
    }
    return labels.sorted()
  }

  /// Nil for an item that was deleted meanwhile.
  private mutating func peerItem(
    _ path: String, _ session: String
  ) throws(CustodyError) -> SecretServiceItem? {
    let calls = ["Attributes", "Label"].map { property in
      bus.call(.secrets("Get", "ss", path: path, interface: propertiesInterface)) {
        $0.string(itemInterface)
        $0.string(property)
      }
    }
    let secret = bus.call(.secrets("GetSecret", "o", path: path, interface: itemInterface)) {
      $0.string(session)
    }
    do throws(CustodyError) {
      var attributes = try bus.reply(to: calls[0], "v")
      guard try attributes.signature() == "a{ss}" else { throw .badAnswer }
      let pairs = try attributes.dictionary()
      var label = try bus.reply(to: calls[1], "v")
      guard try label.signature() == "s" else { throw .badAnswer }
      let text = try label.string()
      var answer = try bus.reply(to: secret, "(oayays)")
      _ = try answer.objectPath()
      try answer.skipBytes(terminated: false)
      return SecretServiceItem(
        path: path, label: text, attributes: Dictionary(pairs) { first, _ in first },
        secret: Redacted(try answer.bytes()))
    } catch .refused(let name) where goneNames.contains(name) {
      return nil
    }
  }
}
