import Foundation
import TokenVaultKeyCustody
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore
@testable import TokenVault

@Suite(.timeLimit(.minutes(10))) struct StaleCopiesTests {
  private func files(_ vault: TestVault) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: vault.directory.appending(path: "groups").path)
  }

  @Test func theLogOfADeletedGroupIsNotReplayedOverItsReplacement() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    let log = try vault.backUp().last
    try session.delete()
    try #require(log?.0.path.hasSuffix("-wal") == true)
    // The state after a deletion that was interrupted after the file itself.
    if let (url, data) = log { try data.write(to: url) }
    try vault.groupSession().importCache(Person.bob.cache())
    #expect(try vault.groupSession().accounts(.all).usernames == ["Bob@fabrikam.example"])
  }

  @Test func aDamagedGroupCanBeDeletedAndCreatedAgain() throws {
    let vault = try TestVault()
    try vault.groupSession().importCache(Person.ada.cache())
    try Data("damaged".utf8).write(to: URL(filePath: vault.file().path))
    #expect(throws: VaultError.self) { try vault.groupSession().accounts(.all) }
    try vault.groupSession().delete()
    #expect(try files(vault).filter { $0.contains(".vault") }.isEmpty)
    try vault.groupSession().importCache(Person.bob.cache())
    #expect(try vault.groupSession().accounts(.all).usernames == ["Bob@fabrikam.example"])
  }

  @Test func anInterruptedRestoreKeepsTheKeyAndCanBeRepeated() throws {
    let vault = try TestVault()
    try vault.groupSession().importCache(Person.ada.cache())
    let id = try vault.groupSession().keyID()
    let backup = vault.home.appending(path: "backup").path
    try vault.groupSession().backup(to: backup)
    let path = vault.file().path
    try Data("damaged".utf8).write(to: URL(filePath: path))
    // A directory cannot be removed, so the restore fails after it has written the whole file.
    let obstacle = path + "-shm"
    for name in [obstacle, path + "-wal"] where FileManager.default.fileExists(atPath: name) {
      try FileManager.default.removeItem(atPath: name)
    }
    try FileManager.default.createDirectory(
      atPath: obstacle, withIntermediateDirectories: false)
    #expect(throws: VaultError.self) { try vault.groupSession().restore(from: backup) }
    #expect(try files(vault).contains { $0.hasSuffix(".restored") })
    try FileManager.default.removeItem(atPath: obstacle)
    #expect(try vault.groupSession().restore(from: backup).isSound)
    #expect(try vault.keyringGenerations(id.groupID) == [1])
    #expect(try vault.groupSession().tokenText() == "fake-at-ada@contoso.example")
    #expect(try !files(vault).contains { $0.hasSuffix(".restored") })
  }

  /// A sign-out removes the file of an interrupted restore by its name, so it never has another one.
  @Test func theFileOfARestoreHasNoNameThatASignOutDoesNotKnow() throws {
    let vault = try TestVault()
    try vault.groupSession().importCache(Person.ada.cache())
    let backup = vault.home.appending(path: "backup").path
    try vault.groupSession().backup(to: backup)
    try Data("damaged".utf8).write(to: vault.file())
    // Taken, so that a restore that used this name would fail.
    try FileManager.default.createDirectory(
      atPath: vault.file().path + ".restored.\(getpid()).new", withIntermediateDirectories: false)
    #expect(try vault.groupSession().restore(from: backup).isSound)
  }

  /// `doctor --fix` removes what a killed restore left while another one waits for the recovery code.
  @Test func theCopyOfARunningRestoreIsNotTakenForALeftover() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    let backup = vault.home.appending(path: "backup").path
    try session.backup(to: backup)
    var restore: Restore? = try Restore(session, from: backup)
    let inspection = GroupInspection(vault.groupSession())
    #expect(inspection.removeRestoreCopies() == [])
    try restore?.open()
    try restore?.install()
    restore = nil
    #expect(try session.accounts(.all).accounts.count == 1)
    // Without a process, the same file is a leftover.
    let copy = vault.file().path + ".restore"
    try Data(contentsOf: vault.file()).write(to: URL(filePath: copy))
    #expect(inspection.removeRestoreCopies() == [copy])
  }

  /// The deletion removes the keys, the file, its log and the log's index, in this order.
  @Test(arguments: [["-wal", "-shm"], ["-shm"]])
  func theEmptyLogOfAKilledDeletionIsRemovedAndNothingElse(left: [String]) throws {
    let vault = try TestVault()
    let deletion = GroupDeletion(vault.groupSession())
    try vault.groupSession().importCache(Person.ada.cache())
    let path = vault.file().path
    func leave(_ content: String) throws {
      for suffix in left { try Data(content.utf8).write(to: URL(filePath: path + suffix)) }
    }
    func names() throws -> Set<String> {
      Set(try files(vault).filter { $0.contains(".vault") && !$0.hasSuffix(".lock") })
    }
    // The log of a group that exists.
    #expect(try !deletion.removeEmptyLog())
    #expect(try vault.groupSession().tokenText() == "fake-at-ada@contoso.example")
    try vault.groupSession().delete()
    try leave("")
    #expect(try deletion.removeEmptyLog())
    #expect(try names().isEmpty)
    let missing = #expect(throws: VaultError.self) { try vault.groupSession().delete() }
    #expect(missing?.name == "noGroup")
    guard left.contains("-wal") else { return }
    // The file may have been moved away, and its log is not yet in it.
    try leave("content")
    #expect(try !deletion.removeEmptyLog())
    #expect(try names().count == left.count)
  }

  /// Creates the files that interrupted creations and restores leave next to a group's file.
  /// - Returns: the group id of a draft whose key is in the keyring.
  private func leaveStaleCopies(_ vault: TestVault) throws -> [UInt8] {
    let path = vault.file().path
    for suffix in [".restore", ".restored"] {
      for part in ["", "-wal", "-shm"] {
        try Data(contentsOf: vault.file()).write(to: URL(filePath: path + suffix + part))
      }
    }
    let header = GroupHeader(
      groupID: try RandomBytes.make(16), generation: 1, custody: .secretService)
    let parts = try KeyParts()
    _ = try GroupCreation.draft(
      path, header: header, key: GenerationKey(parts, of: header.groupID))
    try vault.parts.store(parts, as: GroupKeyID(groupID: header.groupID, generation: 1))
    return header.groupID
  }

  @Test func signOutAndDeletionRemoveStaleCopiesAndTheKeyOfADraft() throws {
    let manifest = GroupManifest(
      name: .universalStorage, title: "test", members: [], custody: .passphrase,
      deviceMode: .private)
    let vault = try TestVault(manifest: manifest)
    let session = vault.groupSession {
      $0.passphrase = { _ in try SecretBytes(copying: Array("fake-passphrase".utf8)) }
    }
    try session.importCache(Person.ada.cache() + Person.bob.cache())
    func others() throws -> [String] {
      let own = vault.file().lastPathComponent
      return try files(vault).filter {
        ![own, own + "-wal", own + "-shm"].contains($0) && !$0.hasSuffix(".lock")
      }
    }
    func entry(_ report: SignOutReport) -> SignOutReport.Entry? {
      report.entries.first { $0.place == .staleCopies }
    }
    var draft = try leaveStaleCopies(vault)
    #expect(try others().count >= 7)
    #expect(entry(try session.signOut([Person.ada.id]))?.isClean == true)
    #expect(try others() == [])
    #expect(try vault.keyringGenerations(draft) == [])
    #expect(try vault.parts.device.generations(of: draft) == [])

    // A copy that cannot be removed is reported, and the others are removed.
    draft = try leaveStaleCopies(vault)
    let obstacle = vault.file().path + ".restore"
    try FileManager.default.removeItem(atPath: obstacle)
    try FileManager.default.createDirectory(
      atPath: obstacle, withIntermediateDirectories: false)
    #expect(entry(try session.signOut([Person.bob.id]))?.isClean == false)
    #expect(try others().allSatisfy { $0.contains(".restore") && !$0.contains(".restored") })
    #expect(try vault.keyringGenerations(draft) == [])
    #expect(try vault.parts.device.generations(of: draft) == [])
    try FileManager.default.removeItem(atPath: obstacle)
    #expect(entry(try session.signOutAll())?.isClean != false)

    draft = try leaveStaleCopies(vault)
    try session.delete()
    #expect(try files(vault).filter { !$0.hasSuffix(".lock") } == [])
    #expect(try vault.keyringGenerations(draft) == [])
    #expect(try vault.parts.device.generations(of: draft) == [])
  }

  @Test func aSecondNameOfTheGroupFileIsRemovedWithoutTheKey() throws {
    let vault = try TestVault()
    try vault.groupSession().importCache(Person.ada.cache() + Person.bob.cache())
    let id = try vault.groupSession().keyID()
    let draft = GroupCreation.draftPath(for: vault.file().path)
    try FileManager.default.linkItem(atPath: vault.file().path, toPath: draft)
    try vault.groupSession().signOut([Person.bob.id])
    #expect(!FileManager.default.fileExists(atPath: draft))
    #expect(
      try vault.groupSession().tokenText(account: Person.ada.id) == "fake-at-ada@contoso.example")
    #expect(try vault.keyringGenerations(id.groupID) == [2])
  }
}
