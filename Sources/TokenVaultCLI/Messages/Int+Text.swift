extension Int {
  /// The number with a noun: "1 account", "2 accounts", "3 entries".
  func counted(_ noun: String) -> String {
    if self == 1 { return "1 \(noun)" }
    return "\(self) " + (noun.hasSuffix("y") ? noun.dropLast() + "ies" : noun + "s")
  }
}
