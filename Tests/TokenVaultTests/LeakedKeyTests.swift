import Foundation
import TokenVaultKeyCustody
import Synchronization
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore
@testable import TokenVault

/// An attacker has a copy of the group's file from before, and the secret that opened it. A rekey to
/// a new secret, and a new recovery code, end what this is worth.
@Suite(.timeLimit(.minutes(10))) struct LeakedKeyTests {
  private static let ada = "fake-at-ada@contoso.example"

  /// All that opening a copy with a leaked secret reveals.
  private struct Leak {
    let key: [UInt8]
    let slotKeys: [[UInt8]]
    let wrap: SealingKey
    let tags: [[UInt8]]
  }

  private func leak(_ copy: TestVault, _ open: (GroupSession) throws -> Void) throws -> Leak {
    let session = copy.groupSession()
    try open(session)
    return try session.withGroup { group in
      let key = group.withKey { unsafe $0.withUnsafeBytes { unsafe Array($0) } }
      return try group.read { transaction in
        var tags: [[UInt8]] = []
        _ = try transaction.forEachAccount { tags.append($0.tag) }
        let rotationKeys = try transaction.rotationKeys()
        var slotKeys: [[UInt8]] = []
        for number in rotationKeys.numbers(.slot) {
          guard let key = try rotationKeys.key(.slot, number) else { continue }
          unsafe key.withUnsafeBytes { unsafe slotKeys.append([UInt8]($0)) }
        }
        return Leak(key: key, slotKeys: slotKeys, wrap: transaction.keys.wrap, tags: tags)
      }
    }
  }

  private func copy(_ vault: TestVault, _ custody: GroupManifest.Custody) throws -> TestVault {
    let copy = try TestVault(session: vault.session, manifest: GroupManifest.with(custody))
    try FileSafety.makeDirectory(copy.directory.appending(path: "groups").path)
    let directory = copy.file().deletingLastPathComponent()
    try copy.restore(
      vault.backUp().map { (directory.appending(path: $0.0.lastPathComponent), $0.1) })
    return copy
  }

  /// Nothing of the leak opens the file of today: neither the key nor a slot, at whatever step.
  private func expectNothingOpens(_ vault: TestVault, _ leak: Leak) throws {
    #expect(throws: StoreError.wrongKey) {
      _ = try LockedGroup(path: vault.file().path).unlock(SecretBytes(copying: leak.key))
    }
    let locked = try LockedGroup(path: vault.file().path)
    #expect(try locked.generationsWithWrappedSuccessorKey() == [])
    for position in KeySlot.Position.allCases {
      guard let slot = try locked.slot(position) else { continue }
      for bytes in leak.slotKeys {
        var key = try SecretBytes(copying: bytes)
        for _ in 0..<6 {
          #expect(throws: CryptoError.failed) {
            _ = try SealingKey(key).openSecret(
              slot.sealedKey,
              associatedData: slot.associatedData(
                group: locked.header.groupID, position: position))
          }
          key = try KeySlot.nextKey(after: key, group: locked.header.groupID)
        }
      }
    }
    for row in [1, 2, 3, 6, 7] as [Int64] {
      guard let sealed = try locked.database.meta(row) else { continue }
      for kind: Format.Kind in [.check, .lookupKey, .state, .extras, .rotationKeys] {
        #expect(throws: CryptoError.failed) {
          _ = try leak.wrap.open(sealed, associatedData: locked.header.associatedData(kind))
        }
      }
    }
    let query = try locked.database.statement("SELECT tag FROM account")
    while try query.step() { #expect(!leak.tags.contains(query.bytes(0))) }
  }

  @Test func aLeakedPassphraseAndRecoveryCodeOpenNothingAfterARekeyToANewPassphrase() throws {
    let vault = try TestVault(manifest: GroupManifest.with(.passphrase))
    func session(_ passphrase: String, new: String? = nil) -> GroupSession {
      vault.groupSession {
        $0.passphrase = { purpose in
          if case .create = purpose {
            return try SecretBytes(copying: Array((new ?? passphrase).utf8))
          }
          return try SecretBytes(copying: Array(passphrase.utf8))
        }
      }
    }
    try session("fake-old").importCache(Person.ada.cache())
    let code = try session("fake-old").makeRecoveryCode()
    try session("fake-old").importCache(Person.bob.cache())
    let before = try copy(vault, .passphrase)
    let leaked = try leak(before) { try $0.open(recoveryCode: code) }

    let report = try Rekey(session("fake-old", new: "fake-new")).run()
    #expect(report.hadRecoveryCode && !report.keepsPassphrase && report.left == nil)
    // Also in every later copy, with what is stored and signed out later.
    for change in [
      { _ in },
      { try $0.importCache(Person.ada.cache("-later")) },
      { _ = try $0.signOut([Person.bob.username]) },
      { _ = try $0.makeRecoveryCode() },
    ] as [(GroupSession) throws -> Void] {
      try change(session("fake-new"))
      try expectNothingOpens(vault, leaked)
      let wrong = #expect(throws: VaultError.self) { try session("fake-old").accounts(.all) }
      #expect(wrong?.custody == .wrongPassphrase)
      #expect(throws: VaultError.self) { try session("fake-old").open(recoveryCode: code) }
    }
    let token = try session("fake-new").tokenText(account: "ada@contoso.example")
    #expect(token == Self.ada + "-later")
    #expect(try session("fake-new").read { try $0.verify() }.isSound)
    // The stated limit: the copy from before still opens.
    #expect(
      try before.groupSession { $0.passphrase = PassphrasePrompt.entering("fake-old") }
        .tokenText(account: "ada@contoso.example") == Self.ada)
  }

  @Test func theSamePassphraseAgainIsReportedAndTheFormerKeysAreGone() throws {
    let vault = try TestVault(manifest: GroupManifest.with(.passphrase))
    func session() -> GroupSession {
      vault.groupSession { $0.passphrase = PassphrasePrompt.entering("fake-passphrase") }
    }
    try session().importCache(Person.ada.cache())
    let code = try session().makeRecoveryCode()
    let leaked = try leak(copy(vault, .passphrase)) { try $0.open(recoveryCode: code) }
    #expect(try Rekey(session()).run().keepsPassphrase)
    try expectNothingOpens(vault, leaked)
    #expect(try session().tokenText() == Self.ada)
  }

  @Test func aReplacedRecoveryCodeAndACopyFromItsTimeOpenNothing() throws {
    let vault = try TestVault(manifest: GroupManifest.with(.passphrase))
    let prompts = PassphrasePrompt.Counter()
    func session() -> GroupSession {
      vault.groupSession { $0.passphrase = PassphrasePrompt.entering("fake-passphrase", prompts) }
    }
    try session().importCache(Person.ada.cache())
    let code = try session().makeRecoveryCode()
    let leaked = try leak(copy(vault, .passphrase)) { try $0.open(recoveryCode: code) }
    prompts.count.withLock { $0 = 0 }
    let present = session()
    let next = try present.makeRecoveryCode()
    // One prompt opens the group and gives its slot a new key.
    #expect(prompts.count.withLock { $0 } == 1)
    try expectNothingOpens(vault, leaked)
    #expect(throws: VaultError.self) { try session().open(recoveryCode: code) }
    for group in [session(), session()] {
      try group.open(recoveryCode: next)
      #expect(try group.tokenText() == Self.ada)
    }
    #expect(try session().tokenText() == Self.ada)
  }

  /// The passphrase is verified, because the slot that it opens gets a new key.
  @Test func aRecoveryCodeOfAnUnlockedGroupRequiresTheRightPassphrase() throws {
    let vault = try TestVault(manifest: GroupManifest.with(.passphrase))
    func session(_ passphrase: String?) -> GroupSession {
      vault.groupSession { $0.passphrase = passphrase.map { PassphrasePrompt.entering($0) } }
    }
    try session("fake-right").importCache(Person.ada.cache())
    try session("fake-right").unlock(seconds: 3600)
    let missing = #expect(throws: VaultError.self) { try session(nil).makeRecoveryCode() }
    #expect(missing?.custody == .passphraseRequired)
    let wrong = #expect(throws: VaultError.self) { try session("fake-wrong").makeRecoveryCode() }
    #expect(wrong?.custody == .wrongPassphrase)
    #expect(try session(nil).header().generation == 1)
    _ = try session("fake-right").makeRecoveryCode()
    #expect(try session(nil).tokenText() == Self.ada)
    try session("fake-right").lock()
    #expect(try session("fake-right").tokenText() == Self.ada)
  }

  @Test func aLeakedKeyFileOpensNothingAfterARekey() throws {
    let vault = try TestVault()
    let path = vault.home.appending(path: "key").path
    try KeyFileCustodian.create(path: path)
    try vault.save(GroupManifest.with(.keyFile(path: path)))
    try vault.groupSession().importCache(Person.ada.cache())
    let leakedFile = vault.home.appending(path: "leaked").path
    try FileManager.default.copyItem(atPath: path, toPath: leakedFile)
    let leaked = try leak(copy(vault, .keyFile(path: leakedFile))) { _ in }
    for path in [nil, path] {
      let report = try Rekey(vault.groupSession()).run(
        to: path.map { GroupManifest.Custody.keyFile(path: $0) })
      #expect(report.replacedKeyFile != nil)
      try expectNothingOpens(vault, leaked)
      let wrong = #expect(throws: VaultError.self) {
        try vault.groupSession { $0.keyFile = leakedFile }.accounts(.all)
      }
      #expect(wrong?.store == .wrongKey)
      #expect(try vault.groupSession().tokenText() == Self.ada)
    }
    #expect(try vault.groupSession().configuration.manifests.staged(.universalStorage) == nil)
    #expect(!FileManager.default.fileExists(atPath: path + ".new"))
    // A new recovery code keeps the key file and renews its slot.
    let content = try Data(contentsOf: URL(filePath: path))
    let code = try vault.groupSession().makeRecoveryCode()
    #expect(try Data(contentsOf: URL(filePath: path)) == content)
    #expect(try vault.groupSession().tokenText() == Self.ada)
    try vault.groupSession().open(recoveryCode: code)
  }

  @Test func aKeyFileThatOthersNeedOrProvideKeepsItsContent() throws {
    let vault = try TestVault()
    let path = vault.home.appending(path: "key").path
    try KeyFileCustodian.create(path: path)
    try vault.save(GroupManifest.with(.keyFile(path: path)))
    try vault.groupSession().importCache(Person.ada.cache())
    func expectRefusal(_ session: GroupSession) throws {
      let content = try Data(contentsOf: URL(filePath: path))
      let error = #expect(throws: VaultError.self) { try Rekey(session).run() }
      #expect(error?.name == "keyFileNotReplaceable")
      #expect(try Data(contentsOf: URL(filePath: path)) == content)
      #expect(try vault.groupSession().header().generation == 1)
      #expect(try vault.groupSession().tokenText() == Self.ada)
    }
    // A systemd credential.
    try expectRefusal(vault.groupSession { $0.keyFile = path })
    // Another group has the same key file.
    var other = GroupManifest.with(.keyFile(path: path))
    other.name = "com.example.other"
    try vault.save(other)
    try expectRefusal(vault.groupSession())
    // By another path, and in a staged manifest after an interrupted rekey.
    let linked = vault.home.appending(path: "linked").path
    try FileManager.default.createSymbolicLink(
      atPath: linked, withDestinationPath: vault.home.path)
    other.custody = .keyFile(path: linked + "/key")
    try vault.save(other)
    try expectRefusal(vault.groupSession())
    let manifests = vault.groupSession().configuration.manifests
    try manifests.stage(other)
    other.custody = .secretService
    try vault.save(other)
    try expectRefusal(vault.groupSession())
    try manifests.unstage(other.name)
    try manifests.remove(other.name)
    // Another name of the file.
    try FileManager.default.linkItem(atPath: path, toPath: path + ".link")
    try expectRefusal(vault.groupSession())
    try FileManager.default.removeItem(atPath: path + ".link")
    // A file of the user that is in the way of the new content.
    try Data("mine".utf8).write(to: URL(filePath: path + ".new"))
    let taken = #expect(throws: VaultError.self) { try Rekey(vault.groupSession()).run() }
    #expect(taken?.name == "keyFileNotCreated")
    #expect(try Data(contentsOf: URL(filePath: path + ".new")) == Data("mine".utf8))
    try FileManager.default.removeItem(atPath: path + ".new")
    // Content of another form was made by another program.
    let own = vault.home.appending(path: "own").path
    try Data((0..<64).map { _ in UInt8.random(in: 0...255) }).write(to: URL(filePath: own))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: own)
    _ = try Rekey(vault.groupSession()).run(to: .keyFile(path: own))
    let refused = #expect(throws: VaultError.self) { try Rekey(vault.groupSession()).run() }
    #expect(refused?.name == "keyFileNotReplaceable")
    #expect(try vault.groupSession().tokenText() == Self.ada)
  }

  /// It was reported as a key file of others.
  @Test func aRekeyReportsTheErrorOfReadingAnotherManifest() throws {
    let vault = try TestVault()
    let path = vault.home.appending(path: "key").path
    try KeyFileCustodian.create(path: path)
    try vault.save(GroupManifest.with(.keyFile(path: path)))
    try vault.groupSession().importCache(Person.ada.cache())
    var other = GroupManifest.with(.secretService)
    other.name = "com.example.other"
    let file = try vault.groupSession().configuration.manifests.save(other)
    try FileManager.default.removeItem(atPath: file)
    // A link to itself cannot be opened, also not by root.
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: file)
    let content = try Data(contentsOf: URL(filePath: path))

    let error = #expect(throws: VaultError.self) { try Rekey(vault.groupSession()).run() }

    guard case .file(file, _, ELOOP)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == content)
    try FileManager.default.removeItem(atPath: file)
    #expect(try vault.groupSession().header().generation == 1)
    #expect(try vault.groupSession().tokenText() == Self.ada)
    // A link to nothing names no key file.
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: file + ".gone")
    #expect(try Rekey(vault.groupSession()).run().replacedKeyFile == path)
  }

  // MARK: References and locks

  @Test func directoryRulesFollowTheirAccountsThroughARekey() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache() + Person.bob.cache())
    let rules = AccountRules(vaultDirectory: vault.directory.path)
    for (person, path) in [(Person.ada, "/ada"), (.bob, "/bob")] {
      _ = try CurrentAccountSelection(session).select(.named(person.id), in: path)
    }
    let stale = try #require(try rules.nearest(to: "/bob"))
    try session.rekey()
    #expect(try rules.all().map(\.accounts.count) == [1, 1])
    for path in ["/ada", "/bob"] {
      let rule = try #require(try rules.nearest(to: path))
      let account = try session.account(.rule(rule, rules))
      #expect(account.username.lowercased().hasPrefix(path.dropFirst()))
      #expect(rule.accounts != stale.accounts)
    }
    // A process that read the rule before the rekey, and the group after it.
    #expect(try session.account(.rule(stale, rules)).username == Person.bob.username)
    // A rekey that is killed before or after its commit has staged the next tags.
    let present = try #require(try rules.nearest(to: "/ada"))
    try rules.stage(
      group: session.group, tags: [present.accounts[0]: [UInt8](repeating: 1, count: 32)])
    let staged = try #require(try rules.nearest(to: "/ada"))
    #expect(staged.accounts.count == 2)
    #expect(try session.account(.rule(staged, rules)).username == Person.ada.username)
    try session.rekey()
    let settled = try #require(try rules.nearest(to: "/ada"))
    #expect(settled.accounts.count == 1)
    #expect(try session.account(.rule(settled, rules)).username == Person.ada.username)
    try session.signOut([Person.ada.id, Person.bob.id])
    #expect(try rules.all().isEmpty)
  }

  @Test func aRekeyThatDoesNotGetEveryRefreshLockChangesNothing() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    try FileLock.hold(session.configuration.refreshLockPath, offset: 77, waiting: 0) {
      let error = #expect(throws: VaultError.self) { try Rekey(session, patience: 50).run() }
      #expect(error?.store == .busy)
    }
    #expect(try session.header().generation == 1)
    _ = try Rekey(session, patience: 50).run()
    #expect(try session.header().generation == 2)
  }

  @Test func theProgressCountsEachAccountOnce() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache() + Person.bob.cache())
    let steps = Mutex<[[Int]]>([])
    _ = try Rekey(session) { done, all in steps.withLock { $0.append([done, all]) } }.run()
    #expect(steps.withLock { $0 } == [[1, 2], [2, 2]])
  }
}
