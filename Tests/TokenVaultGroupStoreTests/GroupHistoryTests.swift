import Testing
import TokenVaultModel

@testable import TokenVaultGroupStore

@Suite(.timeLimit(.minutes(1))) struct GroupHistoryTests {
  @Test func aHistoryHasOneEncoding() throws {
    let keys: [Set<GroupHistory.Key>?] = [nil, [], [.recoveryCode], [.passphrase, .keyFile]]
    for (index, (hasBackup, hasCode)) in [
      (false, false), (true, false), (false, true), (true, true), (true, true), (true, false),
    ].enumerated() {
      var history = GroupHistory()
      if hasBackup {
        history.backup = .init(
          time: Timestamp(epochSeconds: -5), generation: 7, path: "/ä/b", keys: keys[index % 4])
      }
      if hasCode { history.recoveryCodeMade = Timestamp(epochSeconds: 1_800_000_000) }
      let bytes = history.encoded()
      #expect(try GroupHistory(encoded: bytes) == history)
      let other: UInt8 = bytes[0] == 1 ? 2 : 1
      for damaged in [Array(bytes.dropLast()), bytes + [0], [other] + bytes.dropFirst()] {
        #expect(throws: StoreError.damaged(rows: nil)) { try GroupHistory(encoded: damaged) }
      }
    }
  }
}
