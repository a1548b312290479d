import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault

/// A rekey encrypts 10,000 accounts again, in one transaction.
@Suite(.timeLimit(.minutes(10))) struct LargeGroupTests {
  @Test func tenThousandAccountsSurviveARekeyThatIsKilledAndAreRekeyedByTheNext() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.create()
    try session.write { transaction in
      for number in 0..<10_000 {
        let record = AccountRecord(
          homeAccountID: "id-\(number)", environment: "id.example", authorityType: .oidc)
        var account = try transaction.insert(record)
        try transaction.store(
          Credential(kind: .refreshToken, clientID: "client", environment: "id.example"),
          CredentialPayload(secret: Redacted(Array("fake-rt-\(number)".utf8))), in: &account)
        try transaction.update(&account)
      }
    }
    session.close()
    func shell(_ script: String) throws -> String {
      try vault.session.run([
        "/usr/bin/env", "HOME=\(vault.home.path)", "T=\(BuiltProduct("tokenvault").url.path)",
        "/bin/bash", "-c", script,
      ])
    }
    let killed = try shell(
      "strace -f -qq -o /dev/null -e trace=/^pwrite -e inject=/^pwrite:signal=SIGKILL:when=3000 "
        + "\"$T\" group rekey; echo $?")
    #expect(killed == "137\n")
    #expect(try vault.groupSession().header().generation == 1)
    #expect(try vault.groupSession().verify().accounts == 10_000)
    // On a terminal, the progress is drawn, and cleared before the result.
    let drawn = try shell(#"script -qec '"$T" group rekey' /dev/null </dev/null"#)
    let lines = drawn.matches(of: /keys: (\d+) of 10000\x{1b}\[K/).compactMap { Int($0.output.1) }
    #expect(lines.count > 1 && lines == lines.sorted(), "\(drawn.suffix(300))")
    #expect(drawn.contains("\r\u{1b}[KThe group") && drawn.contains("has a new key"))
    #expect(try vault.groupSession().header().generation == 2)
    let report = try vault.groupSession().verify()
    #expect(report.isSound && report.accounts == 10_000 && report.credentials == 10_000)
    // Elsewhere nothing but the result appears.
    let piped = try shell(#""$T" group rekey 2>&1"#)
    #expect(piped.split(separator: "\n").count == 1)
  }
}
