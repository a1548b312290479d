import TokenVaultModel

extension JSONValue {
  /// Parses a JSON object; nil for anything else.
  static func object(in bytes: [UInt8]) -> JSONValue? {
    do {
      let value = try JSONValue(parsing: bytes)
      return value.members == nil ? nil : value
    } catch {
      return nil
    }
  }
}
