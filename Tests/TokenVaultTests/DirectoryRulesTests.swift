import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct DirectoryRulesTests {
  private let vault: TestVault
  private let rules: DirectoryRules

  init() throws {
    vault = try TestVault()
    rules = DirectoryRules(vaultDirectory: vault.directory.path)
  }

  private func rule(_ path: String, _ account: UInt8 = 1) -> DirectoryRules.Rule {
    DirectoryRules.Rule(
      group: .universalStorage, account: [UInt8](repeating: account, count: 32), path: path)
  }

  @Test func theNearestDirectoryAtOrAboveDecides() throws {
    #expect(try rules.nearest(to: "/a") == nil)
    for path in ["/a", "/a/b/c", "/a b"] { try rules.set(rule(path)) }
    #expect(try rules.nearest(to: "/a/b")?.path == "/a")
    #expect(try rules.nearest(to: "/a/b/c/d")?.path == "/a/b/c")
    #expect(try rules.nearest(to: "/ab") == nil)
    #expect(try rules.nearest(to: "/") == nil)
    try rules.set(rule("/"))
    #expect(try rules.nearest(to: "/ab")?.path == "/")
  }

  @Test func aDirectoryHasOneRuleAndUnsafePathsAreRefused() throws {
    try rules.set(rule("/a", 1))
    try rules.set(rule("/a", 2))
    #expect(try rules.all().map { $0.accounts.map(\.[0]) } == [[2]])
    for bad in ["relative", "/a\nb", "/a\tb", ""] {
      #expect(throws: VaultError.self) { try rules.set(rule(bad)) }
    }
    #expect(try rules.remove(group: .universalStorage, accounts: rule("", 2).accounts) == 1)
    #expect(try rules.all() == [])
  }

  @Test func aRenamedDirectoryIsRecognised() throws {
    let (old, new) = (vault.home.appending(path: "old"), vault.home.appending(path: "new"))
    let files = FileManager.default
    try files.createDirectory(at: old, withIntermediateDirectories: false)
    try rules.set(rule(old.path))
    try rules.set(rule("/gone/for/ever"))
    #expect(try rules.all().map(\.path) == [old.path, "/gone/for/ever"])
    #expect(try rules.nearest(to: old.path + "/deep")?.path == old.path)
    #expect(try rules.formerRule(of: old.path) == nil)
    try files.moveItem(at: old, to: new)
    for place in [new.path, new.path + "/deep/er"] {
      #expect(try rules.formerRule(of: place)?.path == old.path)
    }
    #expect(try rules.formerRule(of: vault.home.path) == nil)
    // By its name alone, if an earlier program made the rule.
    let path = vault.directory.appending(path: "directories").path
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try SmallFile.write(Array(text.replacing(/\t\d+:\d+/, with: "").utf8), to: path)
    #expect(try rules.formerRule(of: new.path) == nil)
    #expect(try rules.formerRule(of: "/else/old")?.path == old.path)
    // A renewal of the group keeps the numbers.
    try files.moveItem(at: new, to: old)
    try rules.set(rule(old.path))
    try rules.stage(group: .universalStorage, tags: [rule("").accounts[0]: rule("", 2).accounts[0]])
    try files.moveItem(at: old, to: new)
    #expect(try rules.formerRule(of: new.path)?.accounts.count == 2)
  }

  @Test func aFileThatCouldNotBeReadAgainIsNotWritten() throws {
    let name = String(repeating: "a", count: 4000)
    var refused: VaultError?
    var accepted = 0
    for index in 0..<40 where refused == nil {
      do throws(VaultError) {
        try rules.set(rule("/\(index)/\(name)"))
        accepted += 1
      } catch { refused = error }
    }
    #expect(refused?.name == "badManifest" && accepted > 10)
    #expect(try rules.nearest(to: "/0/\(name)") != nil)
  }

  @Test func aMalformedRulesFileIsRefused() throws {
    try rules.set(rule("/a"))
    let path = vault.directory.appending(path: "directories").path
    let tag = String(repeating: "a", count: 64)
    for text in [
      "x\n", "group\taa\t/a\n", "com.example\tzz\t/a\n", "com.example\t\(tag)\t/a\t1\n",
      "com.example\t\(tag)\t/a\t1:x\n", "com.example\t\(tag)\t/a\t1:2\t\n",
    ] {
      try SmallFile.write(Array(text.utf8), to: path)
      let error = #expect(throws: VaultError.self) { try rules.all() }
      #expect(error?.name == "badManifest")
    }
  }
}
