import TokenVault
import TokenVaultModel

/// Durations as a clock shows them.
enum Clock {
  static func text(_ seconds: Int64, hours: Bool = false) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hour, rest) = (seconds / 3600, seconds % 3600)
    let minutes = "\(two(rest / 60)):\(two(rest % 60))"
    if hours { return "\(two(hour)):\(minutes)" }
    return hour > 0 ? "\(hour):\(minutes)" : minutes
  }

  /// The remaining time of a token.
  static func left(_ end: Timestamp, _ now: Timestamp) -> String {
    if end.isNever { return "no expiry" }
    let seconds = end.epochSeconds - now.epochSeconds
    if seconds <= 0 { return "ended \(end.relative(to: now))" }
    return seconds < 172_800 ? text(seconds) : "\(seconds / 86_400) days"
  }
}
