import TokenVaultModel

/// JSON in a form for people.
enum JSONText {
  /// The JSON with indentation and a line feed at the end; nil if it is not JSON.
  static func pretty(_ json: [UInt8]) -> [UInt8]? {
    // absent is an answer: the caller shows what is not JSON unchanged.
    do { return try JSONValue(parsing: json).prettyBytes } catch { return nil }
  }

  /// The same in lines; nil if it is not JSON.
  static func lines(_ json: [UInt8]) -> [String]? {
    guard let pretty = pretty(json) else { return nil }
    return String(decoding: pretty.dropLast(), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
  }
}
