import Foundation
import Glibc

/// The identity provider `tokenvault-idp` in its own process, so that it answers even if tests
/// block all threads of this one. It ends when the last reference is released, or with this
/// process.
///
/// A test target that uses it must depend on `tokenvault-idp`.
package final class ProviderProcess: @unchecked Sendable {
  /// Why the provider could not be started or controlled.
  package enum Failure: Error {
    case notReady(String)
    /// A control request was refused: its path, the status and the body of the answer.
    case refused(String, Int, String)
  }

  /// A client of the built-in configuration that belongs to no family.
  package static let client = "11111111-2222-3333-4444-555555555555"
  /// Two clients of the built-in configuration that belong to family 1.
  package static let familyClients = [
    "fa000000-0000-4000-8000-000000000001", "fa000000-0000-4000-8000-000000000002",
  ]

  /// The provider's base URL, `http://127.0.0.1:PORT`.
  package let url: String
  private let process = Process()
  private let input = Pipe()

  /// Starts the provider and waits until it is ready.
  /// - Parameter configuration: a JSON object as in docs/identity-provider.md.
  package init(_ configuration: String? = nil) throws {
    process.executableURL = try BuiltProduct("tokenvault-idp").url
    process.arguments = ["--until-eof"]
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      line += more
    }
    let words = String(decoding: line, as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count == 2, words[0] == "ready" else {
      throw Failure.notReady(words.joined(separator: " "))
    }
    url = words[1]
    if let configuration { try change(configuration) }
  }

  // SIGKILL, because a child of a Dispatch thread has SIGTERM blocked. A child must not outlive its
  // test: Foundation waits for children with select(2), which is limited to 1024 descriptors.
  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Sends GET to `/control/<name>`.
  package func report(_ name: String) throws -> RawHTTP.Answer {
    try checked(name, RawHTTP.send("GET", "\(url)/control/\(name)"))
  }

  /// Sends POST to `/control/<name>`.
  @discardableResult package func control(
    _ name: String, _ body: String = ""
  ) throws -> RawHTTP.Answer {
    try checked(name, RawHTTP.send("POST", "\(url)/control/\(name)", body: Data(body.utf8)))
  }

  private func checked(_ name: String, _ answer: RawHTTP.Answer) throws -> RawHTTP.Answer {
    guard answer.status == 200 else { throw Failure.refused(name, answer.status, answer.text) }
    return answer
  }

  /// Changes settings, users, clients or tenants.
  package func change(_ configuration: String) throws { try control("config", configuration) }

  /// Injects a fault, a JSON object as in docs/identity-provider.md, into the next requests.
  package func fault(_ plan: String) throws { try control("fault", plan) }

  /// Advances the provider's clock.
  package func advanceClock(by seconds: Double) throws {
    try control("clock?advance=\(seconds)")
  }

  /// The value of a counter; 0 if it is absent.
  package func counter(_ name: String) throws -> Int {
    try report("counters").object[name] as? Int ?? 0
  }

  /// The requests except control requests, oldest first.
  package func log() throws -> [[String: Any]] {
    try JSONSerialization.jsonObject(with: report("log").body) as? [[String: Any]] ?? []
  }

  /// Approves a device authorization as a user, or denies it if the user is nil.
  package func answerDevice(_ userCode: String, as username: String?) throws {
    let name = username.map { "approve?username=\($0)&" } ?? "deny?"
    try control("device/\(name)user_code=\(userCode)")
  }
}
