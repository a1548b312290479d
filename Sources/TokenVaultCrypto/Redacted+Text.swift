extension Redacted where Value == [UInt8] {
  /// Hides the UTF-8 bytes of a text.
  public init(text: String) { self.init(Array(text.utf8)) }

  /// The value as text; bytes that are not UTF-8 are repaired.
  public func revealText() -> String { String(decoding: reveal(), as: UTF8.self) }
}
