import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite("Nothing of an account in any file")
struct NoPlaintextTests {
  /// Every file below a directory, by its content and its name.
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

  @Test("after imports, switches, sign-outs and rekeys no file names or holds anything")
  func everything() throws {
    let session = try PrivateSecretService()
    let vault = try TestVault(session: session)
    let core = vault.core()
    let alias = "an-alias-of-ada"
    try core.importCache(
      Person.ada.cache() + Person.bob.cache() + Person.eve(policy: "b2c_1_signin").cache())
    try core.importCache(try MSALCache(json: Array(MSALCacheFixtures.objectiveC.utf8)))
    _ = try core.addSecret(
      Redacted(Array("fake-pat".utf8)), service: ServiceURL("git.example/team"),
      username: "ada-at-git")
    try core.setAlias(alias, of: Person.ada.username)
    try core.switchTo(alias)
    _ = try core.currentAccount(client: Clients.cli)
    let tag = try core.read { try core.lookup.stored(.named(alias), in: $0).tag }
    try DirectoryRules(vaultDirectory: vault.directory.path).set(
      DirectoryRules.Rule(group: core.group, account: tag, path: "/work"))
    _ = try core.tokenText(account: alias)
    try core.signOut([Person.bob.id])
    try core.signOut([Person.ada.id], client: Clients.cli)
    try core.rekey()
    let code = try core.makeRecoveryCode()
    // The store is open, so that its log stands beside it.
    let all = try files(vault.home) + files(session.directory)
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

  @Test("no error tells a token or what the caller asked for in secret")
  func errors() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.importCache(Person.ada.cache())
    let calls: [() throws -> Void] = [
      { try core.switchTo("nobody") }, { _ = try core.tokenText("Mail.Read") },
      { try core.create() }, { try core.setAlias("a b", of: "1111") },
    ]
    for call in calls {
      let error = #expect(throws: VaultError.self) { try call() }
      #expect(!"\(String(describing: error))".contains("fake-"))
    }
  }
}
