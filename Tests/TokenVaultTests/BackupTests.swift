import Foundation
import KeyCustody
import Testing
import TokenVaultTestSupport
import VaultModel

@testable import GroupStore
@testable import TokenVault

@Suite("What stands beside a group file")
struct BackupTests {
  private func files(_ vault: TestVault) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: vault.directory.appending(path: "groups").path)
  }

  @Test("the log of a deleted group is not replayed over the one that is made anew")
  func staleLog() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.importCache(Person.ada.cache())
    let log = try vault.backUp().last
    try core.delete()
    try #require(log?.0.path.hasSuffix("-wal") == true)
    // A deletion that was cut short behind the file itself.
    if let (url, data) = log { try data.write(to: url) }
    try vault.core().importCache(Person.bob.cache())
    #expect(try vault.core().accounts(.all).usernames == ["Bob@fabrikam.example"])
  }

  @Test("a restore that was cut short keeps the group's key, and the next one succeeds")
  func restoreCutShort() throws {
    let vault = try TestVault()
    try vault.core().importCache(Person.ada.cache())
    let id = try vault.core().keyID()
    let backup = vault.home.appending(path: "backup").path
    try vault.core().backup(to: backup)
    let path = vault.file().path
    try Data("damaged".utf8).write(to: URL(filePath: path))
    // What cannot be removed ends the restore after it has written the whole file.
    let obstacle = path + "-shm"
    for name in [obstacle, path + "-wal"] where FileManager.default.fileExists(atPath: name) {
      try FileManager.default.removeItem(atPath: name)
    }
    try FileManager.default.createDirectory(
      atPath: obstacle, withIntermediateDirectories: false)
    #expect(throws: VaultError.self) { try vault.core().restore(from: backup) }
    #expect(try !files(vault).filter { $0.hasSuffix(".restored") || $0.hasSuffix(".new") }.isEmpty)
    try FileManager.default.removeItem(atPath: obstacle)
    #expect(try vault.core().restore(from: backup).isSound)
    #expect(try vault.keyringGenerations(id.groupID) == [1])
    #expect(try vault.core().tokenText() == "fake-at-ada@contoso.example")
    #expect(try !files(vault).contains { $0.hasSuffix(".restored") })
  }
}
