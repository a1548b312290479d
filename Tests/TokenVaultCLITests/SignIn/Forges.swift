import Foundation
import Glibc
import TokenVaultTestSupport

/// Stand-ins for GitHub and GitLab (Peers/forges.py), and a stranger that must never see a token.
final class Forges: @unchecked Sendable {
  static let client = "Iv1.0123456789abcdef"
  static let secret = "0123456789abcdef0123456789abcdef01234567"

  let github: String
  let api: String
  let stranger: String
  var gitlab: String { github + "/gitlab" }
  private let process = Process()
  private let input = Pipe()

  /// A request that one of the servers received.
  struct Entry {
    let server: String
    let path: String
    let form: [String: String]
    let query: [String: String]
    let authorization: String
  }

  struct NotReady: Error {}

  init() throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Peers/forges.py")
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-B", script.path]
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw NotReady() }
      line += more
    }
    let ports = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .map { "http://127.0.0.1:\($0)" }
    guard ports.count == 3 else { throw NotReady() }
    (github, api, stranger) = (ports[0], ports[1], ports[2])
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func set(_ settings: [String: Any]) throws {
    let body = try JSONSerialization.data(withJSONObject: settings)
    guard try RawHTTP.send("POST", "\(github)/control", body: body).status == 200 else {
      throw NotReady()
    }
  }

  func log() throws -> [Entry] {
    let text = try RawHTTP.send("GET", "\(github)/control").text
    let entries = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
    return (entries ?? []).map { entry in
      Entry(
        server: entry["server"] as? String ?? "", path: entry["path"] as? String ?? "",
        form: entry["form"] as? [String: String] ?? [:],
        query: entry["query"] as? [String: String] ?? [:],
        authorization: entry["authorization"] as? String ?? "")
    }
  }

  /// A user's provider file that moves the built-in provider `github` to the stand-in, and changes
  /// nothing else of it.
  func githubFile(_ more: [String: Any] = [:]) throws -> String {
    let host = { (url: String) in String(url.dropFirst("http://".count)) }
    let members: [String: Any] = [
      "issuer": github, "authorizationEndpoint": "\(github)/login/oauth/authorize",
      "tokenEndpoint": "\(github)/login/oauth/access_token",
      "deviceAuthorizationEndpoint": "\(github)/login/device/code",
      "userEndpoint": "\(api)/user", "apiHosts": [host(api), host(github)],
    ]
    let all = members.merging(more) { $1 }
    return String(decoding: try JSONSerialization.data(withJSONObject: all), as: UTF8.self)
  }
}

extension SignInHome {
  /// Writes a user's provider file.
  func provide(_ name: String, _ json: String) throws {
    let directory = home.directory.appending(path: ".config/tokenvault/providers")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let file = directory.appending(path: "\(name).json")
    try Data(json.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
  }
}
