import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

@Suite(.timeLimit(.minutes(10))) struct ManyProcessesTests {
  /// Sixteen processes read and write tokens, switch accounts and list them; eight of them also
  /// sign accounts out.
  @Test func noCommitIsLostAmongSixteenProcesses() throws {
    let scratch = try Scratch()
    let path = scratch("a.vault")
    let group = try FreshGroup(path) { transaction in
      for name in (0..<16).map({ "p\($0)" }) + ["shared"] {
        var record = AccountRecord(
          homeAccountID: name, environment: "id.example", authorityType: .oidc)
        record.profiles = [
          .init(tenantID: "t", localAccountID: name, username: "\(name)@x.example", environment: "")
        ]
        var account = try transaction.insert(record)
        try transaction.store(
          Credential(kind: .refreshToken, clientID: "c", environment: "id.example"),
          CredentialPayload(secret: Redacted(Array((name == "shared" ? "0" : "first").utf8))),
          in: &account)
        try transaction.update(&account)
      }
    }
    try FileManager.default.createDirectory(
      atPath: scratch("keys"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    try write(group.secret, to: scratch("keys/1"))

    let processes = try (0..<16).map {
      try RunningProgram([probePath(), "mixed", path, scratch("keys"), "\($0)", "200"])
    }
    var shared = 0
    var rotations = 0
    var changes: [Int: Int] = [:]
    for (number, process) in processes.enumerated() {
      let ran = try process.wait()
      try #require(ran.status == 0, "process \(number): \(ran.errors)")
      let counts = ran.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      try #require(counts.count == 4)
      changes[number] = counts[1]
      shared += counts[2]
      rotations += counts[3]
    }
    #expect(shared > 500)
    #expect(rotations == 80)

    let generation = rotations + 1
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch("keys")).sorted()
        == ["\(generation)", "lock"])
    let last = try unlock(path, contents(scratch("keys/\(generation)")))
    try last.read { transaction in
      #expect(try transaction.verify().isSound)
      #expect(transaction.state.accountCount == 17)
      for (number, count) in changes {
        let found = try token(transaction, "p\(number)")
        #expect(found == (count == 0 ? "first" : "p\(number)-\(count)"))
      }
      let found = try token(transaction, "shared")
      #expect(found == String(shared))
    }
  }

  private func token(_ transaction: GroupTransaction, _ name: String) throws -> String {
    let account = try #require(try transaction.accounts(named: CaseFolding.fold(name)).first)
    let stored = try #require(account.record.stored.first)
    return String(
      decoding: try transaction.payload(of: stored, in: account).secret.reveal(), as: UTF8.self)
  }
}
