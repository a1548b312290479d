/// A line that breaks a rule, in the form of a compiler message.
struct Violation: CustomStringConvertible, Equatable {
  var path: String
  var line: Int
  var rule: String

  var description: String { "\(path):\(line): \(rule)" }
}
