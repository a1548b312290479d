import Foundation
import KeyCustody
import Synchronization
import Testing
import TokenVaultTestSupport
import VaultCrypto
import VaultModel

@testable import GroupStore
@testable import TokenVault

extension GroupCreationAndCustodyTests {
  @Test("a group moves between all custodies, and what kept its key before opens it no more")
  func rekey() throws {
    let vault = try TestVault()
    let path = vault.home.appending(path: "key").path
    try KeyFileCustody.create(path: path)
    func core() -> VaultCore {
      vault.core {
        $0.passphrase = Self.answering("fake-passphrase")
        $0.keyFile = path
      }
    }
    try core().importCache(Person.ada.cache())
    let custodies: [GroupHeader.Custody] = [
      .passphrase, .keyFile, .secretService, .keyFile, .passphrase, .secretService,
    ]
    let id = try core().keyID()
    for (step, custody) in custodies.enumerated() {
      try core().rekey(to: custody)
      #expect(try core().custody() == custody)
      #expect(try core().tokenText() == "fake-at-ada@contoso.example")
      let kept = try vault.keyringGenerations(id.groupID)
      #expect(kept == (custody == .secretService ? [step + 2] : []), "\(custody)")
      #expect(try core().read { try $0.verify() }.isSound)
    }
    try core().rekey()
    #expect(try core().custody() == .secretService)
    #expect(try vault.keyringGenerations(id.groupID) == [8])
  }

  @Test("a former key that outlives a rekey is told, and the group has its new key all the same")
  func formerKeyStays() throws {
    let session = try PrivateSecretService()
    let vault = try TestVault(session: session)
    func core(_ meanwhile: @escaping @Sendable () throws -> Void = {}) -> VaultCore {
      vault.core {
        $0.passphrase = { purpose in
          if case .create = purpose { try meanwhile() }
          return try SecretBytes(copying: Array("fake-passphrase".utf8))
        }
      }
    }
    try core().importCache(Person.ada.cache())
    let id = try core().keyID()
    let left = try core { try session.freezeDaemon() }.rekey(to: .passphrase)
    #expect(left?.custody == .timedOut)
    #expect(try core().custody() == .passphrase)
    try session.thawDaemon()
    #expect(try core().tokenText() == "fake-at-ada@contoso.example")
    #expect(try vault.keyringGenerations(id.groupID) == [])
  }

  @Test("the recovery code opens a group whose keyring lost the key, and ends with a rekey")
  func recoveryCode() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.importCache(Person.ada.cache() + Person.bob.cache())
    let code = try core.makeRecoveryCode()
    try core.signOut([Person.bob.id])
    core.close()
    try vault.custodian.delete(try core.keyID())
    let missing = #expect(throws: VaultError.self) { try vault.core().accounts(.all) }
    #expect(missing?.custody == .keyMissing(generation: 2))

    let rescued = vault.core()
    try rescued.open(recoveryCode: code)
    #expect(try rescued.accounts(.all).usernames == ["ada@contoso.example"])
    try rescued.rekey()
    #expect(try vault.core().tokenText() == "fake-at-ada@contoso.example")
    let void = #expect(throws: VaultError.self) { try vault.core().open(recoveryCode: code) }
    #expect(void?.custody == .badRecoveryCode)
    let other = try core.makeRecoveryCode()
    let second = try vault.core().makeRecoveryCode()
    let replaced = #expect(throws: VaultError.self) { try vault.core().open(recoveryCode: other) }
    #expect(replaced != nil)
    try vault.core().open(recoveryCode: second)
  }

  @Test("a header whose custody was changed opens nothing and asks for no passphrase")
  func tamperedCustody() throws {
    let vault = try TestVault()
    try vault.core().importCache(Person.ada.cache())
    var header = try vault.core().header()
    header.custody = .passphrase
    let database = try Database(path: vault.file().path, busyMilliseconds: 0)
    try database.setMeta(Format.Meta.header.rawValue, try header.encoded())
    let asked = Counter()
    let core = vault.core { $0.passphrase = Self.answering("fake-passphrase", asked) }
    let error = #expect(throws: VaultError.self) { try core.accounts(.all) }
    #expect(error?.store == .damaged(rows: nil))
    #expect(asked.count.withLock { $0 } == 0)
  }

  @Test("a copy from before a sign-out is told from a lost key")
  func olderFile() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.importCache(Person.ada.cache())
    core.close()
    let backup = try vault.backUp()
    try vault.core().signOut([Person.ada.id])
    try vault.restore(backup)
    let error = #expect(throws: VaultError.self) { try vault.core().accounts(.all) }
    guard case .olderFile(_, generation: 1, newest: 2)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: VaultError.self) { try vault.core().importCache(Person.bob.cache()) }
  }

  @Test("a keyring that has other items under the group's id gives the one that fits")
  func severalItems() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.importCache(Person.ada.cache())
    let id = try core.keyID()
    core.close()
    for secret in ["not a key", Base64URL.encode([UInt8](repeating: 7, count: 32))] {
      try vault.session.run(
        [
          "secret-tool", "store", "--label", "copy \(secret.count)", "group",
          Hexadecimal.encode(id.groupID), "generation", "1", "copy", secret,
        ], input: secret)
    }
    #expect(try vault.core().accounts(.all).accounts.count == 1)
  }
}
