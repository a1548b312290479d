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
}
