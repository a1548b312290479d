import Testing
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault

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
}
