import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault
@testable import TokenVaultGroupStore

/// A group file of format version 1 is upgraded by its next write, and by nothing else.
@Suite(.timeLimit(.minutes(10))) struct UpgradeTests {
  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "TokenVaultGroupStoreTests/Fixtures")

  /// A vault whose group is a file that an earlier program wrote.
  private func vault(_ fixture: String, _ manifest: GroupManifest? = nil) throws -> TestVault {
    // Its own keyring, because every copy of a fixture has the same group id.
    let vault = try TestVault(session: PrivateSecretService(), manifest: manifest)
    try FileSafety.makeDirectory(vault.directory.appending(path: "groups").path)
    try vault.restore([
      (vault.file(), try Data(contentsOf: Self.fixtures.appending(path: fixture)))
    ])
    return vault
  }

  private func header(_ vault: TestVault) throws -> GroupHeader {
    try LockedGroup(path: vault.file().path).header
  }

  private func hexadecimal(_ name: String) throws -> SecretBytes {
    let text = try Data(contentsOf: Self.fixtures.appending(path: "v1-group.json"))
    let keys = try JSONDecoder().decode([String: String].self, from: text)
    let key = try #require(keys[name])
    return try SecretBytes(copying: try #require(Hexadecimal.decode(key.utf8)))
  }

  private func secretServiceVault() throws -> (TestVault, [UInt8]) {
    let vault = try vault("v1-group.vault")
    let group = try header(vault).groupID
    try vault.custodian.store(
      hexadecimal("secondGeneration"), as: GroupKeyID(groupID: group, generation: 2))
    return (vault, group)
  }

  /// Sets an alias until the file is upgraded: a keyring that a busy machine keeps from answering in
  /// time leaves the upgrade to the next write.
  private func upgrade(_ vault: TestVault, _ session: GroupSession) throws {
    while try header(vault).version == 1 {
      try session.setAlias("office", of: "bob@fabrikam.example")
    }
  }

  private static let usernames = [
    "Alice@Contoso.example", "bob@fabrikam.example", "carol@contoso.example",
  ]

  @Test func readingDoesNotUpgradeAFileAndWritingDoes() throws {
    let (vault, group) = try secretServiceVault()
    let session = vault.groupSession()
    #expect(try session.accounts(.all).usernames.sorted() == Self.usernames)
    #expect(try session.read { try $0.verify() }.isSound)
    #expect(try header(vault).version == 1)
    #expect(try vault.parts.device.generations(of: group) == [])
    #expect(try vault.keyringGenerations(group) == [2])

    try upgrade(vault, session)
    #expect(try header(vault).version == 2)
    #expect(try header(vault).generation == 3)
    #expect(try vault.keyringGenerations(group) == [3])
    #expect(try vault.parts.device.generations(of: group) == [3])
    let fresh = vault.groupSession()
    #expect(try fresh.accounts(.all).usernames.sorted() == Self.usernames)
    #expect(try fresh.read { $0.state.slotKeys.isEmpty })
    #expect(try fresh.read { try $0.verify() }.isSound)
    // The slot of the recovery code moved along.
    let locked = try LockedGroup(path: vault.file().path)
    let slot = try #require(try locked.slot(.recovery))
    let key = try locked.open(slot, at: .recovery, with: hexadecimal("recoverySlot"))
    #expect(try locked.keyCheck().accepts(key))
    try session.setAlias("desk", of: "bob@fabrikam.example")
    #expect(try header(vault).generation == 3)
  }

  @Test func anEarlierProgramReportsTheUpgradedFileAsUnsupported() throws {
    let (vault, _) = try secretServiceVault()
    try upgrade(vault, vault.groupSession())
    let locked = try LockedGroup(path: vault.file().path)
    // An earlier program looks at both numbers, in this order, and accepts only 1.
    let version = try locked.database.statement("PRAGMA user_version")
    #expect(try version.step() && version.int64(0) == 2)
    version.reset()
    #expect(try locked.database.meta(0)?[4..<8] == [0, 0, 0, 2])
  }

  @Test func aPassphraseGroupIsUpgradedWithoutAnotherPrompt() throws {
    let vault = try vault("v1-passphrase.vault", .with(.passphrase))
    let prompts = PassphrasePrompt.Counter()
    let session = vault.groupSession {
      $0.passphrase = PassphrasePrompt.entering("made-up fixture passphrase", prompts)
    }
    try session.addSecret(
      Redacted(text: "third secret"), service: "https://git.example",
      username: "eve")
    #expect(prompts.count.withLock { $0 } == 1)
    let header = try header(vault)
    #expect(header.version == 2 && header.generation == 3)
    #expect(try vault.parts.device.generations(of: header.groupID) == [])
    let fresh = vault.groupSession {
      $0.passphrase = PassphrasePrompt.entering("made-up fixture passphrase")
    }
    #expect(try fresh.accounts(.all).usernames.sorted() == ["carol", "eve"])
    let rescued = vault.groupSession()
    try rescued.open(
      recoveryCode: SecretBytes(copying: Array("MSMTN-JMRZ1-P3MV8-4QMYV-0SJD9-3DC9G-HRVV1".utf8)))
    #expect(try rescued.accounts(.all).accounts.count == 2)
  }

  @Test func aFailedUpgradeDoesNotPreventTheWrite() throws {
    let (vault, group) = try secretServiceVault()
    let session = vault.groupSession()
    _ = try session.accounts(.all)
    try vault.session.lock()
    try session.setAlias("office", of: "bob@fabrikam.example")
    #expect(try header(vault).version == 1)
    try vault.session.unlock()
    try upgrade(vault, session)
    #expect(try header(vault).version == 2)
    #expect(try vault.keyringGenerations(group) == [3])
    #expect(try vault.groupSession().account(named: "office").username == "bob@fabrikam.example")
  }

  /// The wrapped successor keys of the earlier format lead to the upgrade, and its own leads on.
  @Test(arguments: [1, 2])
  func anUpgradedGroupOpensAfterAPowerCutLostTheWritesOfTheKeyring(left: UInt64) throws {
    let (vault, group) = try secretServiceVault()
    let session = vault.groupSession { $0.bootIdentifier = { "boot-of-the-fixture" } }
    try upgrade(vault, session)
    session.close()
    for generation in try vault.custodian.generations(of: group) {
      try vault.custodian.delete(GroupKeyID(groupID: group, generation: generation))
    }
    try vault.custodian.store(
      hexadecimal(left == 1 ? "firstGeneration" : "secondGeneration"),
      as: GroupKeyID(groupID: group, generation: left))
    for boot in ["second boot", "third boot"] {
      vault.boot.withLock { $0 = boot }
      #expect(
        try vault.groupSession().accounts(.all).usernames.sorted() == Self.usernames)
      #expect(try vault.keyringGenerations(group) == [3])
    }
    let locked = try LockedGroup(path: vault.file().path)
    #expect(try locked.generationsWithWrappedSuccessorKey() == [])
  }
}
