// Works on a keychain group as a tool among many: 200 mixed operations on accounts of its own and
// on those of all, and then says how often each went through.
//
//   vault-probe NUMBER OPERATIONS
import Foundation
import TokenVault

struct Wrong: Error { let what: String }

let arguments = CommandLine.arguments
guard arguments.count == 3, let number = Int(arguments[1]), let operations = Int(arguments[2]),
  var configuration = VaultConfiguration(
    group: .universalStorage, environment: ProcessInfo.processInfo.environment)
else { throw Wrong(what: "arguments") }
configuration.isAdministrator = true
let group = configuration
let url = ServiceURL("https://probe-\(number).example")
guard let url else { throw Wrong(what: "URL") }

/// The value that was stored last for each of the own names; nil for what was signed out.
var own: [String: String] = [:]
var counts: [String: Int] = [:]
var vault = Vault(group)

func expect(_ name: String, _ value: String?) async throws {
  do {
    let account = try await vault.account(named: name)
    let token = try await vault.token(TokenRequest(scopes: ScopeSet([])), for: account)
    let found = String(decoding: token.accessToken.reveal(), as: UTF8.self)
    guard found == value else {
      throw Wrong(what: "\(name): \(found) instead of \(value ?? "nothing")")
    }
  } catch let error as VaultError {
    guard case .noAccount = error, value == nil else { throw error }
  }
}

for step in 0..<operations {
  // A tool's process lives for some of its operations.
  if step % 25 == 0 { vault = Vault(group) }
  let name = "own-\(number)-\(step % 3)"
  // Each process takes the operations in an order of its own.
  switch (step * 7 + number) % 20 {
  case 0...4:
    let value = "value-\(number)-\(step)"
    _ = try await vault.addSecret(Redacted(Array(value.utf8)), service: url, username: name)
    own[name] = value
    counts["added", default: 0] += 1
  case 5...10:
    try await expect(name, own[name])
    counts["read", default: 0] += 1
  case 11...14:
    let listed = try await vault.accounts().accounts.map(\.username)
    let mine = listed.filter { $0.hasPrefix("own-\(number)-") }.sorted()
    guard mine == own.keys.sorted() else { throw Wrong(what: "listed \(mine)") }
    counts["listed", default: 0] += 1
  case 15...17:
    try await vault.switchTo(try await vault.account(named: "shared-\(step % 2)"))
    counts["switched", default: 0] += 1
  case 18 where number % 2 == 0:
    guard own[name] != nil else { continue }
    let report = try await vault.signOut([try await vault.account(named: name)])
    guard report.accounts.map(\.username) == [name] else { throw Wrong(what: "another account") }
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
