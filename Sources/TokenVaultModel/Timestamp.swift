/// A moment in whole seconds since 1970-01-01T00:00:00Z, as in token caches and OAuth responses.
public struct Timestamp: Hashable, Sendable, Comparable {
  /// Seconds since the Unix epoch; negative before it.
  public let epochSeconds: Int64

  /// A moment `epochSeconds` after the Unix epoch.
  public init(epochSeconds: Int64) { self.epochSeconds = epochSeconds }

  /// Whether `left` is before `right`.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.epochSeconds < right.epochSeconds
  }

  /// The moment `seconds` later; stops at the ends of the range instead of overflowing.
  public func advanced(by seconds: Int64) -> Timestamp {
    let (sum, overflow) = epochSeconds.addingReportingOverflow(seconds)
    return Timestamp(epochSeconds: overflow ? (seconds < 0 ? .min : .max) : sum)
  }
}
