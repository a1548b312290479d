import TokenVaultModel
import TokenVaultSignIn

extension Timestamp {
  /// The distance in words: "in 42 min", "12 min ago".
  func relative(to now: Timestamp) -> String {
    let (difference, overflow) = epochSeconds.subtractingReportingOverflow(now.epochSeconds)
    let seconds = overflow ? Int64.max : Int64(clamping: difference.magnitude)
    let amount: String =
      switch seconds {
      case ..<60: "\(seconds) s"
      case ..<3600: "\(seconds / 60) min"
      case ..<172_800: "\(seconds / 3600) h"
      default: "\(seconds / 86_400) days"
      }
    return epochSeconds > now.epochSeconds ? "in \(amount)" : "\(amount) ago"
  }

  /// The number of seconds after which ``relative(to:)`` has another text.
  func secondsOfText(at now: Timestamp) -> Int64 {
    let (difference, overflow) = epochSeconds.subtractingReportingOverflow(now.epochSeconds)
    guard !overflow else { return .max }
    let seconds = Int64(clamping: difference.magnitude)
    let unit: Int64 =
      seconds < 60 ? 1 : seconds < 3600 ? 60 : seconds < 172_800 ? 3600 : 86_400
    // The time until an event decreases, that since an event grows.
    return difference > 0 ? seconds % unit + 1 : unit - seconds % unit
  }
}
