import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

@Suite(.timeLimit(.minutes(5))) struct PlaintextTests {
  @Test func noFileContainsAnythingOfAnAccountInCleartext() throws {
    let scratch = try Scratch()
    let path = scratch("a.vault")
    let words = [
      "needle-home-id", "needle-user@contoso.example", "needle-alias", "needle-tenant",
      "needle-local-id", "needle.host.example", "needle-client", "needle-scope.read",
      "needle-secret-token", "needle-claim", "needle-family", "needle-extra", "needle-farewell",
      "needle-boot",
    ]
    var group = try FreshGroup(path) { transaction in
      var record = AccountRecord(
        homeAccountID: words[0], environment: words[5], authorityType: .oidc)
      record.alias = words[2]
      record.profiles = [
        .init(
          tenantID: words[3], localAccountID: words[4], username: words[1], environment: words[5],
          claimsJSON: Array(words[9].utf8), extraJSON: Array(words[11].utf8))
      ]
      record.clients = [words[6]: .signedIn]
      var account = try transaction.insert(record)
      var credential = Credential(
        kind: .accessToken, clientID: words[6], environment: words[5])
      credential.realm = words[3]
      credential.target = words[7]
      credential.familyID = words[10]
      try transaction.store(
        credential,
        CredentialPayload(secret: Redacted(Array(words[8].utf8)), extraJSON: Array(words[11].utf8)),
        in: &account)
      try transaction.update(&account)
      transaction.state.current = account.tag
      transaction.state.principals[words[6]] = .init(account: account.tag)
      try transaction.setExtras(Array(words[11].utf8))
    }
    let opened = try group.open()
    try opened.write { transaction in
      var account = try #require(
        try transaction.accounts(named: CaseFolding.fold(words[1])).first)
      account.record.alias += "-again"
      try transaction.update(&account)
    }
    // While a process has the group open, the log and its index are beside the file.
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
    #expect(names == ["a.vault", "a.vault-shm", "a.vault-wal"])
    try expectAbsent(words, in: scratch)
    let report = try group.signOut(["nobody"], boot: words[13])
    try expectAbsent(words, in: scratch)
    _ = report
  }

  private func expectAbsent(_ words: [String], in scratch: Scratch) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: scratch.path) {
      #expect(!words.contains { name.contains($0) })
      let file = Data(try contents(scratch(name)))
      let lower = Data(file.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 })
      for word in words {
        let text = Data(word.utf8)
        var forms = [text, Data(Hexadecimal.encode([UInt8](text)).utf8)]
        forms += [.utf16LittleEndian, .utf16BigEndian].compactMap { word.data(using: $0) }
        // Base64 has three forms, depending on where in a group of three bytes the text begins. The
        // ends of each form depend on the neighbouring bytes.
        for shift in 0..<3 {
          let encoded = (Data(repeating: 0, count: shift) + text).base64EncodedString()
          forms.append(Data(encoded.dropFirst(4).dropLast(4).lowercased().utf8))
        }
        for form in forms { #expect(lower.range(of: form) == nil, "\(word) in \(name)") }
      }
    }
  }

  /// The search finds text that is present; otherwise the other tests would prove nothing.
  @Test func theSameSearchFindsTheCleartextSchema() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault"))
    #expect(Data(try contents(group.path)).range(of: Data("CREATE TABLE account".utf8)) != nil)
  }

  @Test func rowsOfOneSizeClassHaveTheSameSize() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) { transaction in
      for name in ["a", "bb", "cccccccccccccccccc"] {
        try SampleGroup.add(SampleGroup.record(name, "\(name)@x"), to: transaction)
      }
    }
    let query = try group.open().database.statement(
      "SELECT DISTINCT length(sealed) FROM record UNION SELECT DISTINCT length(sealed) FROM name")
    var sizes: [Int64] = []
    while try query.step() { sizes.append(query.int64(0)) }
    #expect(sizes == [256 + 28])
  }
}
