package import TokenVaultModel

extension HTTPResponse {
  /// The seconds to wait before the next request (RFC 9110 section 10.2.3), which are given as a
  /// number or as a date; nil if there is no valid Retry-After field. A date in the past is 0.
  package func retryAfter(now: Timestamp) -> Int64? {
    guard let text = header("Retry-After") else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return Int64(text) }
    guard let date = Timestamp(httpDate: text, now: now) else { return nil }
    return max(0, date.epochSeconds - now.epochSeconds)
  }
}

extension Timestamp {
  /// Parses a date of HTTP in one of its three formats (RFC 9110 section 5.6.7).
  /// - Parameter now: decides the century of a year with two digits.
  init?(httpDate text: String, now: Timestamp) {
    let words = text.split { " ,-".contains($0) }.map(String.init)
    let (day, month, year, time): (String, String, String, String)
    switch words.count {
    // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT.
    case 6 where words[5] == "GMT":
      (day, month, year, time) = (words[1], words[2], words[3], words[4])
    // Sun Nov  6 08:49:37 1994.
    case 5: (day, month, year, time) = (words[2], words[1], words[4], words[3])
    default: return nil
    }
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let clock = time.split(separator: ":", omittingEmptySubsequences: false)
      .compactMap { Self.number($0, 2...2) }
    guard let day = Self.number(day, 1...2), let month = months.firstIndex(of: month),
      let year = Self.year(year, now), clock.count == 3, (1...31).contains(day), clock[0] < 24,
      clock[1] < 60, clock[2] <= 60
    else { return nil }
    let seconds =
      Self.days(year, month + 1, day) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    self.init(epochSeconds: seconds)
  }

  private static func year(_ text: String, _ now: Timestamp) -> Int64? {
    if let year = number(text, 4...4) { return year }
    guard let short = number(text, 2...2) else { return nil }
    // A year that would be more than 50 years ahead is in the past.
    let present = 1970 + now.epochSeconds / 31_556_952
    let year = present / 100 * 100 + short
    return year > present + 50 ? year - 100 : year
  }

  private static func number(_ text: some StringProtocol, _ digits: ClosedRange<Int>) -> Int64? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text)
  }

  /// The days from 1970-01-01 to a date of the Gregorian calendar. The year is counted from March, so
  /// that a leap day is the last one.
  private static func days(_ year: Int64, _ month: Int, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let (era, ofEra) = (shifted / 400, shifted % 400)
    let ofYear = (153 * Int64(month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }
}
