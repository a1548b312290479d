import Foundation
import Glibc
import Testing
import TokenVaultTestSupport
import TokenVaultModel
import TokenVaultSystem

@testable import TokenVault

/// A sign-out looks into the files that were imported, and an account can be taken out of them.
@Suite(.timeLimit(.minutes(5))) struct ImportedFilesTests {
  private let vault: TestVault
  private let session: GroupSession
  private let file: URL

  init() throws {
    vault = try TestVault()
    session = vault.groupSession()
    file = vault.home.appending(path: "hidden-place/cache.json")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((Person.ada.cache() + Person.bob.cache()).json()).write(to: file)
  }

  private func importFile(_ path: String? = nil) throws {
    let cache = try MSALCache(json: Array(try Data(contentsOf: file)))
    try session.importCache(cache, from: path ?? file.path)
  }

  private func entries(_ report: SignOutReport) -> [SignOutReport.Entry] {
    report.entries.filter { $0.place == .importedFile }
  }

  private func remove(_ text: String, client: String? = nil) throws -> Int {
    try CacheFile(file.path).remove(AccountReference(parsing: text), clientID: client).count
  }

  @Test func aSignOutReportsAnImportedFileThatStillHasTheAccount() throws {
    try importFile()
    let report = try session.signOut([Person.ada.id])
    let left = try #require(entries(report).first)
    #expect(entries(report).count == 1 && !left.isClean && left.file == file.path)
    #expect(left.account?.username == "ada@contoso.example")
    // The group itself is clean.
    #expect(report.isClean && report.uncleanFiles.count == 1)
    #expect(try remove(try #require(left.account).selector) == 3)
    // Bob is still in the file, and ada is not.
    let other = try session.signOut([Person.bob.id])
    #expect(entries(other).map(\.account?.username) == ["Bob@fabrikam.example"])
    try importFile()
    #expect(try remove("BOB@fabrikam.example") == 3)
    #expect(entries(try session.signOut([Person.bob.id])).map(\.isClean) == [true])
  }

  @Test func aClientsSignOutLooksForItsOwnTokensOnly() throws {
    let editor = Person.ada.refresh("fake-rt-editor", client: Clients.editor)
    try Data((Person.ada.cache() + MSALCache(tokens: [editor])).json()).write(to: file)
    try importFile()
    let report = try session.signOut([Person.ada.id], client: Clients.cli)
    #expect(entries(report).map(\.clientID) == [Clients.cli])
    #expect(try remove(Person.ada.id, client: Clients.cli) == 2)
    let left = try MSALCache(json: Array(try Data(contentsOf: file)))
    #expect(left.tokens.map { $0.secret.reveal() } == ["fake-rt-editor"])
    #expect(left.profiles.count == 1)
  }

  @Test func theRememberedPathIsSealedAndForgottenWithTheFile() throws {
    try importFile()
    try importFile()
    #expect(try session.read { $0.state.importedFiles } == [file.path])
    for (_, data) in try vault.backUp() {
      #expect(data.range(of: Data("hidden-place".utf8)) == nil)
    }
    // A rotation keeps it.
    try session.rekey()
    #expect(try vault.groupSession().read { $0.state.importedFiles } == [file.path])
    try FileManager.default.removeItem(at: file)
    #expect(entries(try session.signOut([Person.ada.id])).isEmpty)
    #expect(try session.read { $0.state.importedFiles }.isEmpty)
  }

  @Test func aRelativePathOrALinkIsRememberedAsTheFileItself() throws {
    let link = vault.home.appending(path: "link.json")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    try importFile(link.path)
    try importFile("/dev/null")
    try importFile(file.deletingLastPathComponent().path + "/../hidden-place/cache.json")
    #expect(try session.read { $0.state.importedFiles } == [file.path])
  }

  @Test func aFileThatCannotBeReadAsACacheIsNotReportedAsClean() throws {
    try importFile()
    for text in ["[1]", "{\"Account\": ", ""] {
      try Data(text.utf8).write(to: file)
      try session.importCache(Person.ada.cache())
      let report = try session.signOut([Person.ada.id])
      #expect(entries(report).map(\.isClean) == [false])
      #expect(entries(report).first?.account == nil)
    }
  }

  // MARK: Taking an account out

  @Test func theFileKeepsItsModeAndIsReplacedAtOnce() throws {
    #expect(unsafe chmod(file.path, 0o640) == 0)
    let before = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(try remove("ada@contoso.example") == 3)
    let after = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(after[.posixPermissions] as? Int == 0o640)
    #expect(after[.ownerAccountID] as? Int == before[.ownerAccountID] as? Int)
    #expect(after[.systemFileNumber] as? Int != before[.systemFileNumber] as? Int)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: file.deletingLastPathComponent().path)
    #expect(names == ["cache.json"])
  }

  @Test func anUnknownOrAmbiguousNameChangesNothing() throws {
    var twin = Person.ada
    twin.environment = "login.microsoftonline.us"
    try Data((Person.ada.cache() + twin.cache()).json()).write(to: file)
    let before = try Data(contentsOf: file)
    let missing = #expect(throws: VaultError.self) { try remove("nobody") }
    guard case .notInFile? = missing else {
      Issue.record("\(String(describing: missing))")
      return
    }
    let both = #expect(throws: VaultError.self) { try remove("ada@contoso.example") }
    guard case .ambiguousInFile(_, let candidates)? = both else {
      Issue.record("\(String(describing: both))")
      return
    }
    #expect(try Data(contentsOf: file) == before)
    #expect(candidates.count == 2)
    #expect(try remove(candidates[1]) == 3)
    let left = try MSALCache(json: Array(try Data(contentsOf: file)))
    #expect(left.profiles.map { "\($0.homeAccountID)//\($0.environment)" } == [candidates[0]])
  }

  /// `sub` is case sensitive at other providers (OpenID Connect Core section 2).
  @Test func subjectsThatDifferOnlyInCaseAreTwoAccounts() throws {
    func account(_ subject: String) -> MSALCache {
      let person = Person(
        id: subject, username: "\(subject)@id.example", realm: "", environment: "id.example",
        authorityType: "MSSTS")
      return person.cache()
    }
    try Data((account("abc") + account("ABC")).json()).write(to: file)
    #expect(try remove("abc@id.example") == 3)
    let left = try MSALCache(json: Array(try Data(contentsOf: file)))
    #expect(left.profiles.map(\.homeAccountID) == ["ABC"])
  }

  // MARK: The lock

  @Test func aFileThatAnotherProgramHasLockedIsLeftAlone() throws {
    let before = try Data(contentsOf: file)
    let lock = file.path + ".lockfile"
    func busy() -> Bool {
      do {
        try CacheFileLock.hold(file.path, waiting: 50) {}
        return false
      } catch { if case .fileInUse = error { return true } else { return false } }
    }
    // As MSAL's extensions for Python, .NET and Go do.
    let descriptor = try SystemCalls.open(lock, O_RDWR | O_CREAT, mode: 0o600)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    #expect(busy())
    close(descriptor)
    // As MSAL for Node does: the file exists, with the id of a running process.
    try Data("\(getppid())".utf8).write(to: URL(filePath: lock))
    #expect(busy())
    #expect(try Data(contentsOf: file) == before)
    // Left by a process that no longer runs.
    try Data("2147483646 python".utf8).write(to: URL(filePath: lock))
    #expect(!busy())
    #expect(!FileManager.default.fileExists(atPath: lock))
  }

  @Test func otherProgramsFindTheFileLockedMeanwhile() throws {
    let lock = file.path + ".lockfile"
    try CacheFileLock.hold(file.path, waiting: 0) { () throws(VaultError) in
      do {
        let descriptor = try SystemCalls.open(lock, O_RDWR)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == -1)
      } catch { Issue.record("\(error)") }
    }
    #expect(!FileManager.default.fileExists(atPath: lock))
  }
}
