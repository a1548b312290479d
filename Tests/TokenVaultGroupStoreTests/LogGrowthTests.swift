import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// The log grows by more than a commit, so that most commits need not sync its length.
@Suite(.timeLimit(.minutes(5))) struct LogGrowthTests {
  private let scratch: Scratch
  private let secret = [UInt8](repeating: 3, count: 32)
  private var path: String { scratch("a.vault") }

  init() throws {
    scratch = try Scratch()
    try write(secret, to: scratch("key"))
    let made = try run([probePath(), "create", path, scratch("key")])
    try #require(made.output == "done\n", "\(made.errors)")
  }

  @Test func mostCommitsOfAConnectionDoNotLengthenTheLog() throws {
    let group = try unlock(path, secret)
    var lengths: [Int] = []
    for number in 1...20 {
      try change(group, number)
      lengths.append(try contents(path + "-wal").count)
    }
    #expect(zip(lengths, lengths.dropFirst()).count { $0 == $1 } > 10, "\(lengths)")
    // A killed process leaves these files behind.
    let copy = scratch("copy.vault")
    for suffix in ["", "-wal"] { try write(contents(path + suffix), to: copy + suffix) }
    #expect(try change(of: unlock(copy, secret)) == 20)
    #expect(try group.truncateLog())
    #expect(try contents(path + "-wal").isEmpty)
  }

  @Test func theOnlyCommitOfAConnectionDoesNotLengthenTheLog() throws {
    let ran = try run(
      [
        "strace", "-f", "-qq", "-o", scratch("calls"), "-e", "trace=pwrite64", probePath(),
        "changes", path, scratch("key"), "1",
      ])
    #expect(ran.output == "1\n", "\(ran.errors)")
    let calls = String(decoding: try contents(scratch("calls")), as: UTF8.self)
      .split(separator: "\n")
    #expect(!calls.isEmpty)
    let sizesOfSQLite = [" = 4096", " = 32", " = 24", " = 1"]
    #expect(calls.allSatisfy { sizesOfSQLite.contains(where: $0.hasSuffix) })
  }

  @Test(arguments: ["signal=SIGKILL", "error=ENOSPC"])
  func aFaultAtAnyWriteLosesNoChangeThatWasAcknowledged(fault: String) throws {
    let image = try contents(path)
    var harmless = 0
    for call in 1...1000 {
      let ran = try run(
        [
          "strace", "-f", "-qq", "-o", scratch("calls"), "-e", "trace=pwrite64", "-e",
          "inject=pwrite64:\(fault):when=\(call)", probePath(), "changes", path, scratch("key"),
          "5",
        ])
      let acknowledged = ran.output.split(separator: "\n").count
      let group = try unlock(path, secret)
      #expect(try [acknowledged, acknowledged + 1].contains(change(of: group)))
      #expect(try group.read { try $0.verify() }.isSound)
      let calls = String(decoding: try contents(scratch("calls")), as: UTF8.self)
      guard calls.contains("INJECTED") || ran.wasKilled || ran.status == 137 else {
        // A commit succeeds although the zeros behind it could not be written.
        #expect(harmless > 0 || fault == "signal=SIGKILL")
        return
      }
      if acknowledged == 5 { harmless += 1 }
      try reset(to: image)
    }
    Issue.record("never ran to its end")
  }

  /// A write beyond the limit ends the process with SIGXFSZ, unless that is ignored.
  @Test func aLimitOfTheFilesSizeStopsNoChangeThatFits() throws {
    let image = try contents(path)
    var counts: Set<Int> = []
    for kibibytes in stride(from: 24, through: 120, by: 4) {
      let counted = try ["--default-signal=XFSZ", "--ignore-signal=XFSZ"].map { signal in
        let ran = try run(
          [
            signal, "bash", "-c", "ulimit -f \(kibibytes); exec \"$@\"", "bash", probePath(),
            "changes", path, scratch("key"), "5",
          ])
        try reset(to: image)
        return ran.output.split(separator: "\n").count
      }
      #expect(counted[0] == counted[1], "\(kibibytes) KiB")
      counts.formUnion(counted)
    }
    #expect(counts.contains(1) && counts.contains(5), "\(counts)")
  }

  private func reset(to image: [UInt8]) throws {
    try GroupCreation.remove(path)
    try write(image, to: path)
  }

  private func change(_ group: UnlockedGroup, _ number: Int) throws {
    try group.write { transaction in
      var account = try #require(try transaction.accounts(named: CaseFolding.fold("a0")).first)
      try transaction.store(
        Credential(kind: .refreshToken, clientID: "c", environment: "id.example"),
        CredentialPayload(
          secret: Redacted(Array("\(number) ".utf8) + [UInt8](repeating: 0x78, count: 4000))),
        in: &account)
      try transaction.update(&account)
    }
  }

  /// The number of the last change; 0 if there was none.
  private func change(of group: UnlockedGroup) throws -> Int {
    try group.read { transaction in
      let account = try #require(try transaction.accounts(named: CaseFolding.fold("a0")).first)
      let stored = try #require(account.record.stored.first)
      let secret = try transaction.payload(of: stored, in: account).secret.reveal()
      return Int(String(decoding: secret.prefix { $0 != 0x20 }, as: UTF8.self)) ?? 0
    }
  }
}
