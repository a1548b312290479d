import Foundation
import Glibc

/// The embedded identity provider in a process of its own: tests that block every thread of this
/// one do not keep it from answering. It ends with the last reference, and with this process.
///
/// The test target that uses it depends on `tokenvault-idp`.
public final class ProviderProcess: @unchecked Sendable {
  /// What went wrong with it.
  public enum Failure: Error {
    case notReady(String)
    /// A control request was refused: its path, the status and the answer.
    case refused(String, Int, String)
  }

  /// A client of the built-in configuration, of no family.
  public static let client = "11111111-2222-3333-4444-555555555555"
  /// Two clients of the built-in configuration, of family 1.
  public static let familyClients = [
    "fa000000-0000-4000-8000-000000000001", "fa000000-0000-4000-8000-000000000002",
  ]

  /// Where it answers: `http://127.0.0.1:PORT`.
  public let url: String
  private let process = Process()
  private let input = Pipe()

  /// Starts it and waits until it answers.
  /// - Parameter configuration: a JSON object with members of docs/identity-provider.md.
  public init(_ configuration: String? = nil) throws {
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

  // A child of one of Dispatch's threads has SIGTERM blocked. One that stays is more than a
  // process: Foundation waits for its children by select(2), which takes 1024 descriptors.
  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Asks `/control/<name>`.
  public func report(_ name: String) throws -> RawHTTP.Answer {
    try checked(name, RawHTTP.send("GET", "\(url)/control/\(name)"))
  }

  /// Posts to `/control/<name>`.
  @discardableResult public func control(
    _ name: String, _ body: String = ""
  ) throws -> RawHTTP.Answer {
    try checked(name, RawHTTP.send("POST", "\(url)/control/\(name)", body: Data(body.utf8)))
  }

  private func checked(_ name: String, _ answer: RawHTTP.Answer) throws -> RawHTTP.Answer {
    guard answer.status == 200 else { throw Failure.refused(name, answer.status, answer.text) }
    return answer
  }

  /// Changes settings, users, clients or tenants.
  public func change(_ configuration: String) throws { try control("config", configuration) }

  /// Makes the next requests fail, as a JSON object of docs/identity-provider.md says.
  public func fault(_ plan: String) throws { try control("fault", plan) }

  /// Moves the provider's clock.
  public func advanceClock(by seconds: Double) throws {
    try control("clock?advance=\(seconds)")
  }

  /// How often something happened.
  public func counter(_ name: String) throws -> Int {
    try report("counters").object[name] as? Int ?? 0
  }

  /// The requests seen, without control requests, oldest first.
  public func log() throws -> [[String: Any]] {
    try JSONSerialization.jsonObject(with: report("log").body) as? [[String: Any]] ?? []
  }

  /// Lets a person answer a device's question without a browser.
  public func answerDevice(_ userCode: String, as username: String?) throws {
    let name = username.map { "approve?username=\($0)&" } ?? "deny?"
    try control("device/\(name)user_code=\(userCode)")
  }
}
