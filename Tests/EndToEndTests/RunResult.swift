import Foundation

/// The result of a program.
struct RunResult {
  var status: Int32
  var wasKilled: Bool
  var bytes: Data
  var errors: String

  var output: String { String(decoding: bytes, as: UTF8.self) }
  /// Whether the keyring did not answer in time.
  var isTimeout: Bool {
    status == 69 && errors.contains("The Secret Service did not answer in time")
  }
  /// The standard output as a JSON value.
  func json() throws -> Any {
    try JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed)
  }
}
