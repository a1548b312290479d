// Performs mixed operations on a keychain group, on its own accounts and on shared ones, while
// other probes do the same. Prints its accounts and the number of times it performed each
// operation, as JSON.
//
//   vault-probe NUMBER OPERATIONS
//
// Or opens the group and keeps it open until its input ends; "debuggable" turns protection off.
//
//   vault-probe hold [debuggable]
//
// Or, for each line "hold" of its input, requests the token of an account and keeps it; for any other
// line, releases it. Its memory can be read.
//
//   vault-probe serve USERNAME
import Foundation
import TokenVault

struct Unexpected: Error { let what: String }

let arguments = CommandLine.arguments
if arguments.dropFirst().first == "hold" {
  var configuration = try VaultConfiguration.process()
  configuration.isAdministrator = true
  if arguments.last == "debuggable" { configuration.protectsProcess = false }
  let vault = Vault(configuration)
  let count = try await vault.accounts().accounts.count
  try FileHandle.standardOutput.write(contentsOf: Data("open: \(count)\n".utf8))
  _ = try FileHandle.standardInput.readToEnd()
  exit(0)
}
if arguments.count == 3, arguments[1] == "serve" {
  var configuration = try VaultConfiguration.process()
  configuration.isAdministrator = true
  configuration.protectsProcess = false
  let vault = Vault(configuration)
  let account = try await vault.account(username: arguments[2])
  var token: TokenResult?
  while let line = readLine() {
    token = nil
    if line == "hold" {
      token = try await vault.token(TokenRequest(scopes: "User.Read"), for: account)
    }
    let answer = token.map { "holds \($0.accessToken.reveal().count)" } ?? "dropped"
    try FileHandle.standardOutput.write(contentsOf: Data((answer + "\n").utf8))
  }
  exit(0)
}
guard arguments.count == 3, let number = Int(arguments[1]), let operations = Int(arguments[2])
else { throw Unexpected(what: "arguments") }
var configuration = try VaultConfiguration.process()
configuration.isAdministrator = true
let group = configuration
let url = ServiceURL("https://probe-\(number).example")
guard let url else { throw Unexpected(what: "URL") }

/// The last value of each of this probe's accounts; nil if the account was signed out.
var own: [String: String] = [:]
var counts: [String: Int] = [:]
var vault = Vault(group)

func expect(_ name: String, _ value: String?) async throws {
  do {
    let account = try await vault.account(named: name)
    let token = try await vault.token(TokenRequest(scopes: ScopeSet([])), for: account)
    let found = String(decoding: token.accessToken.reveal(), as: UTF8.self)
    guard found == value else {
      throw Unexpected(what: "\(name): \(found) instead of \(value ?? "nothing")")
    }
  } catch let error as VaultError {
    guard case .noAccount = error, value == nil else { throw error }
  }
}

for step in 0..<operations {
  // A new Vault every 25 steps, as after a restart of the tool.
  if step % 25 == 0 { vault = Vault(group) }
  let name = "own-\(number)-\(step % 3)"
  // Each process performs the operations in a different order.
  switch (step * 7 + number) % 20 {
  case 0...4:
    let value = "value-\(number)-\(step)"
    _ = try await vault.setSecret(Redacted(text: value), for: url, username: name)
    own[name] = value
    counts["added", default: 0] += 1
  case 5...10:
    try await expect(name, own[name])
    counts["read", default: 0] += 1
  case 11...14:
    let listed = try await vault.accounts().accounts.map(\.username)
    let mine = listed.filter { $0.hasPrefix("own-\(number)-") }.sorted()
    guard mine == own.keys.sorted() else { throw Unexpected(what: "listed \(mine)") }
    counts["listed", default: 0] += 1
  case 15...17:
    try await vault.switchTo(try await vault.account(named: "shared-\(step % 2)"))
    counts["switched", default: 0] += 1
  case 18 where number % 2 == 0:
    guard own[name] != nil else { continue }
    let report = try await vault.signOut([try await vault.account(named: name)])
    guard report.accounts.map(\.username) == [name] else {
      throw Unexpected(what: "another account")
    }
    own[name] = nil
    try await expect(name, nil)
    counts["signed out", default: 0] += 1
  default:
    try await expect("shared-\(step % 2)", "shared \(step % 2)")
    counts["read", default: 0] += 1
  }
}
let answer: [String: Any] = ["own": own, "counts": counts]
print(
  String(
    decoding: try JSONSerialization.data(withJSONObject: answer, options: .sortedKeys),
    as: UTF8.self))
