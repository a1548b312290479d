import Foundation

/// An error response (RFC 6749 section 5.2).
struct Failure: Error {
  var error: String
  /// The number after `AADSTS` or `AADB2C`.
  var code: Int
  var text: String
  var status = 400
  var suberror: String?
  var claims: String?

  static let broken = Failure("server_error", 90033, "Try again later.", status: 500)

  init(
    _ error: String, _ code: Int, _ text: String, status: Int = 400, suberror: String? = nil,
    claims: String? = nil
  ) {
    self.error = error
    self.code = code
    self.text = text
    self.status = status
    self.suberror = suberror
    self.claims = claims
  }

  /// The error response of a realm: plain RFC 6749, or with the members that Microsoft adds.
  func reply(realm: Realm?, correlation: String?, now: Date) -> Reply {
    guard realm?.isPlain != true else {
      return .json(
        [
          "error": .string(error),
          "error_description": .string(text),
        ], status: status)
    }
    let moment = now.formatted(.iso8601).replacingOccurrences(of: "T", with: " ")
    let trace = RandomText.uuid()
    let correlation = correlation ?? RandomText.uuid()
    let prefix = realm?.policy == nil ? "AADSTS" : "AADB2C"
    var answer: JSON = [
      "error": .string(error),
      "error_description": .string(
        "\(prefix)\(code): \(text) Trace ID: \(trace) Correlation ID: \(correlation) "
          + "Timestamp: \(moment)"),
      "error_codes": [.integer(code)],
      "timestamp": .string(moment), "trace_id": .string(trace),
      "correlation_id": .string(correlation),
    ]
    answer["suberror"] = suberror.map { .string($0) }
    answer["claims"] = claims.map { .string($0) }
    return .json(answer, status: status)
  }
}
