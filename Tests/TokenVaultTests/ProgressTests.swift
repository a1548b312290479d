import Testing
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault
@testable import TokenVaultGroupStore

/// Long work tells how far it is.
@Suite(.timeLimit(.minutes(2))) struct ProgressTests {
  private final class Steps {
    var seen: [[Int]] = []
    func note(_ done: Int, _ all: Int) { seen.append([done, all]) }
    func taken() -> [[Int]] {
      defer { seen = [] }
      return seen
    }
  }

  @Test func eachAccountIsAStep() throws {
    let session = try TestVault().groupSession()
    let steps = Steps()
    let expected = [[1, 2], [2, 2]]
    _ = try CacheImport(session, progress: steps.note).run(Person.ada.cache() + Person.bob.cache())
    #expect(steps.taken() == expected)
    _ = try GroupInspection(session).verify(progress: steps.note)
    #expect(steps.taken() == expected)
    _ = try CacheExport(session, progress: steps.note).run(.all)
    #expect(steps.taken() == expected)
    _ = try Rekey(session, progress: steps.note).changeKey()
    #expect(steps.taken() == expected)
    _ = try Erasure(session, progress: steps.note).run(.everything)
    #expect(steps.taken() == expected)
  }

  /// Reading the accounts is most of the work.
  @Test func anExportTellsHowFarItIsWhileItReads() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache() + Person.bob.cache())
    session.close()
    let file = try Database(path: vault.file().path, busyMilliseconds: 0)
    try file.execute(
      "UPDATE account SET sheet = zeroblob(length(sheet)) WHERE id = (SELECT max(id) FROM account)")
    let steps = Steps()
    #expect(throws: VaultError.self) {
      try CacheExport(vault.groupSession(), progress: steps.note).run(.all)
    }
    #expect(steps.taken() == [[1, 2]])
  }
}
