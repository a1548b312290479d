import Glibc
import TokenVault
import TokenVaultModel
import TokenVaultSignIn

/// The end of a stored secret on the command line: `90d`, `2027-01-31` or `2027-01-31T12:00:00Z`.
struct Expiry: Hashable, Sendable {
  let time: Timestamp

  /// Returns nil for anything else, and for a time that is not in the future. A date is its beginning
  /// in UTC, so that the secret is never taken for valid after its service has ended it.
  init?(_ text: String, now: Timestamp) {
    guard let time = Duration(text).map({ now.advanced(by: $0.seconds) }) ?? Self.date(text),
      time > now
    else { return nil }
    self.time = time
  }

  /// A date, or a time in UTC.
  static func date(_ text: String) -> Timestamp? {
    let full = text.utf8.count == 10 ? text + "T00:00:00Z" : text
    let numbers = full.split { "-T:Z".contains($0) }.map { Int32($0) ?? -1 }
    guard numbers.count == 6 else { return nil }
    var parts = unsafe tm()
    unsafe parts.tm_year = numbers[0] - 1900
    unsafe parts.tm_mon = numbers[1] - 1
    unsafe parts.tm_mday = numbers[2]
    unsafe parts.tm_hour = numbers[3]
    unsafe parts.tm_min = numbers[4]
    unsafe parts.tm_sec = numbers[5]
    let time = Timestamp(epochSeconds: Int64(unsafe timegm(&parts)))
    // The C library carries 31 April over to 1 May.
    return time.iso8601 == full ? time : nil
  }
}
