extension JSONValue {
  /// How deep containers may be nested, so that an attacker cannot exhaust the stack.
  package static let depthLimit = 64

  /// How many values a text may have. An array of minimal values takes a dozen times the size of its
  /// text in memory, which an attacker could use.
  package static let countLimit = 2_000_000

  /// The value of a JSON text (RFC 8259), with or without a byte order mark.
  package init(parsing bytes: [UInt8]) throws(JSONError) {
    var parser = JSONParser(bytes: bytes)
    self = try parser.document()
  }
}
