import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct NoPlaintextTests {
  /// The names and contents of all files below a directory.
  private func files(_ folder: URL) throws -> [(String, Data)] {
    var found: [(String, Data)] = []
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    for path in paths {
      let url = folder.appending(path: path)
      let type = try FileManager.default.attributesOfItem(atPath: url.path)[.type]
      if type as? FileAttributeType == .typeRegular {
        found.append((path, try Data(contentsOf: url)))
      }
    }
    return found
  }

  /// After imports, switches, sign-outs and rekeys, in file names as well as contents.
  @Test func noFileContainsAccountDataInPlaintext() throws {
    let keyring = try PrivateSecretService()
    let vault = try TestVault(session: keyring)
    let session = vault.groupSession()
    let alias = "an-alias-of-ada"
    try session.importCache(
      Person.ada.cache() + Person.bob.cache() + Person.eve(policy: "b2c_1_signin").cache())
    try session.importCache(try MSALCache(json: Array(MSALCacheFixtures.objectiveC.utf8)))
    // Another client, so that the account stays when the first one signs out.
    try session.importCache(
      MSALCache(tokens: [Person.ada.refresh("fake-rt-editor", client: Clients.editor)]))
    _ = try session.addSecret(
      Redacted(Array("fake-pat".utf8)), service: ServiceURL("git.example/team"),
      username: "ada-at-git")
    try session.setAlias(alias, of: Person.ada.username)
    try session.switchTo(alias)
    _ = try session.currentAccount(client: Clients.cli)
    let tag = try session.read { try session.lookup.stored(.named(alias), in: $0).tag }
    try AccountRules(vaultDirectory: vault.directory.path).set(
      AccountRule(group: session.group, account: tag, path: "/work"))
    _ = try session.tokenText(account: alias)
    try session.signOut([Person.bob.id])
    try session.signOut([Person.ada.id], client: Clients.cli)
    try session.rekey()
    let code = try session.makeRecoveryCode()
    // The store is still open, so the directory contains its log.
    let all = try files(vault.home) + files(keyring.directory)
    #expect(all.contains { $0.0.hasSuffix(".vault-wal") })
    #expect(all.contains { $0.0.hasSuffix("login.keyring") })
    var words = [
      alias, "fake-", "ada@contoso", "bob@fabrikam", "eve@mail", "ada-at-git", "git.example",
      "b2c_1_signin", "b2clogin", "microsoftonline", "windows.net", "User.Read", Clients.cli,
      Person.contoso, Person.fabrikam, MSALCacheFixtures.ada, "11111111-1111", "22222222-2222",
    ]
    words.append(
      unsafe code.withUnsafeBytes { unsafe String(decoding: $0.prefix(11), as: UTF8.self) })
    for (path, data) in all {
      let text = String(decoding: data, as: UTF8.self).lowercased() + " " + path.lowercased()
      for word in words {
        #expect(!text.contains(word.lowercased()), "\(word) stands in \(path)")
      }
    }
  }

  @Test func noErrorContainsAToken() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    let calls: [() throws -> Void] = [
      { try session.switchTo("nobody") }, { _ = try session.tokenText("Mail.Read") },
      { try session.create() }, { try session.setAlias("a b", of: "1111") },
    ]
    for call in calls {
      let error = #expect(throws: VaultError.self) { try call() }
      #expect(!"\(String(describing: error))".contains("fake-"))
    }
  }
}
