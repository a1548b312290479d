/// A duration on the command line: `90`, `90s`, `5m`, `8h`, `2d`.
package struct Duration: Hashable, Sendable {
  package let seconds: Int64

  /// The duration for people, in the largest unit that divides it.
  package var text: String {
    for (unit, length) in [("d", Int64(86_400)), ("h", 3600), ("min", 60)]
    where seconds % length == 0 && seconds > 0 { return "\(seconds / length) \(unit)" }
    return "\(seconds) s"
  }

  /// Returns nil for anything else, and for more than 365 days.
  package init?(_ text: String) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let last = text.last else { return nil }
    let digits = units[last] == nil ? text[...] : text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int64(digits), number <= 31_536_000
    else { return nil }
    seconds = number * (units[last] ?? 1)
    guard seconds <= 31_536_000 else { return nil }
  }
}
