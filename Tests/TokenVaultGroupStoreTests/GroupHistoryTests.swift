import Testing
import TokenVaultModel

@testable import TokenVaultGroupStore

@Suite(.timeLimit(.minutes(1))) struct GroupHistoryTests {
  @Test func aHistoryHasOneEncoding() throws {
    for (hasBackup, hasCode) in [(false, false), (true, false), (false, true), (true, true)] {
      var history = GroupHistory()
      if hasBackup {
        history.backup = .init(time: Timestamp(epochSeconds: -5), generation: 7, path: "/ä/b")
      }
      if hasCode { history.recoveryCodeMade = Timestamp(epochSeconds: 1_800_000_000) }
      let bytes = history.encoded()
      #expect(try GroupHistory(encoded: bytes) == history)
      for damaged in [Array(bytes.dropLast()), bytes + [0], [2] + bytes.dropFirst()] {
        #expect(throws: StoreError.damaged(rows: nil)) { try GroupHistory(encoded: damaged) }
      }
    }
  }
}
