import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// The first process that opens a group makes the index of its log anew.
@Suite(.timeLimit(.minutes(1))) struct LogIndexTests {
  private let scratch: Scratch
  private let secret = [UInt8](repeating: 3, count: 32)
  private var path: String { scratch("a.vault") }
  private var index: String { path + "-shm" }

  init() throws {
    scratch = try Scratch()
    try write(secret, to: scratch("key"))
    let made = try run([probePath(), "create", path, scratch("key")])
    try #require(made.output == "done\n", "\(made.errors)")
  }

  /// A crash, or a file from a backup, leaves an index of frames that the log does not have.
  @Test(arguments: [0, 4096, 32768])
  func aStaleIndexIsNotBelieved(furtherBytes: Int) throws {
    let former = try contents(path)
    var stale: [UInt8] = []
    do {
      let group = try unlock(path, secret)
      try group.write { try $0.storeToken() }
      stale = try contents(index)
      try #require(stale.count == 32768 && stale.prefix(136).contains { $0 != 0 })
    }
    try GroupCreation.remove(path)
    try write(former, to: path)
    try write(stale + [UInt8](repeating: 7, count: furtherBytes), to: index)

    let group = try unlock(path, secret)
    #expect(try group.read { try $0.verify() }.isSound)
    #expect(try contents(index).count == 32768)
    try group.write { try $0.storeToken() }
    #expect(try unlock(path, secret).read { try $0.verify() }.isSound)
  }

  @Test func theBlocksOfTheIndexStay() throws {
    for _ in 1...2 { _ = try unlock(path, secret).read { try $0.verify() } }
    try #require(try contents(index).count == 32768)
    let ran = try run(
      [
        "strace", "-f", "-qq", "-o", scratch("calls"), "-e", "trace=ftruncate,pwritev",
        probePath(), "changes", path, scratch("key"), "1",
      ])
    #expect(ran.output == "1\n", "\(ran.errors)")
    let calls = String(decoding: try contents(scratch("calls")), as: UTF8.self)
    #expect(calls.contains("pwritev(") && calls.contains(" = 32768"), "\(calls)")
    #expect(!calls.contains(", 3) = 0"), "\(calls)")
  }
}

extension GroupTransaction {
  fileprivate func storeToken() throws {
    var account = try #require(try accounts(named: CaseFolding.fold("a0")).first)
    try store(
      Credential(kind: .refreshToken, clientID: "c", environment: "id.example"),
      CredentialPayload(secret: Redacted([UInt8](repeating: 0x78, count: 4000))), in: &account)
    try update(&account)
  }
}
