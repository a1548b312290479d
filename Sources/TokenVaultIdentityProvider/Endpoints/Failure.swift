import Foundation
import TokenVaultModel

/// An error answer of the protocol.
struct Failure: Error {
  var error: String
  /// The number behind `AADSTS` or `AADB2C`.
  var code: Int
  var text: String
  var status = 400
  var suberror: String?
  var claims: String?

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

  /// The answer in the shape of the realm: plain RFC 6749, or with what Microsoft adds.
  func reply(realm: Realm?, correlation: String?, now: Date) -> Reply {
    guard realm?.isPlain != true else {
      return .json(
        [
          "error": .string(error),
          "error_description": .string(text),
        ], status: status)
    }
    let moment = now.formatted(.iso8601).replacingOccurrences(of: "T", with: " ")
    let trace = UUID().uuidString.lowercased()
    let correlation = correlation ?? UUID().uuidString.lowercased()
    let prefix = realm?.policy == nil ? "AADSTS" : "AADB2C"
    var answer: JSONValue = [
      "error": .string(error),
      "error_description": .string(
        "\(prefix)\(code): \(text) Trace ID: \(trace) Correlation ID: \(correlation) "
          + "Timestamp: \(moment)"),
      "error_codes": [.number(String(code))],
      "timestamp": .string(moment), "trace_id": .string(trace),
      "correlation_id": .string(correlation),
    ]
    answer.set("suberror", suberror.map { .string($0) })
    answer.set("claims", claims.map { .string($0) })
    return .json(answer, status: status)
  }
}
