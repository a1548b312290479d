extension JSONValue {
  /// How deep containers may stand in each other; a stack is not for an attacker to exhaust.
  package static let depthLimit = 64

  /// How many values a text may hold. A list of nothing, written for the purpose, would take a
  /// dozen times its own size in memory.
  package static let countLimit = 2_000_000

  /// The value of a JSON text (RFC 8259), behind a byte order mark or not.
  package init(parsing bytes: [UInt8]) throws(JSONError) {
    var parser = JSONParser(bytes: bytes)
    self = try parser.document()
  }
}
