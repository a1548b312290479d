import Glibc
package import TokenVaultModel

extension Timestamp {
  /// ISO 8601 in UTC, as in `2026-02-28T12:00:00Z`. Times outside the years 1 to 9999 are clamped.
  package var iso8601: String {
    var seconds = time_t(min(max(epochSeconds, -62_135_596_800), 253_402_300_799))
    var parts = unsafe tm()
    guard unsafe gmtime_r(&seconds, &parts) != nil else { return "9999-12-31T23:59:59Z" }
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (month, day) = unsafe (parts.tm_mon + 1, parts.tm_mday)
    let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
    let year = String(unsafe parts.tm_year + 1900)
    return String(repeating: "0", count: max(0, 4 - year.utf8.count)) + year
      + "-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))Z"
  }
}
