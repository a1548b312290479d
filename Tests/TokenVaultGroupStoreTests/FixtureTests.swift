import Foundation
import Testing
import TokenVaultCrypto

@testable import TokenVaultGroupStore

@Suite(.timeLimit(.minutes(5))) struct FixtureTests {
  @Test func aGroupFileOfTheFirstFormatStillOpens() throws {
    let scratch = try Scratch()
    let keys = try SampleGroup.Keys.fixture()
    let original = try contents(SampleGroup.fixtures.appending(path: "v1-group.vault").path)
    try write(original, to: scratch("v1.vault"))
    let group = try unlock(scratch("v1.vault"), bytes(hex: keys.secondGeneration))
    #expect(try SampleGroup.content(of: group) == SampleGroup.content)
  }

  @Test func theFixturesSlotAndWrappedSuccessorKeyGiveItsKey() throws {
    let scratch = try Scratch()
    let keys = try SampleGroup.Keys.fixture()
    let original = try contents(SampleGroup.fixtures.appending(path: "v1-group.vault").path)
    try write(original, to: scratch("v1.vault"))
    let group = try LockedGroup(path: scratch("v1.vault"))
    let slot = try #require(try group.slot(.recovery))
    #expect(slot.parameters.steps == 1)
    let expected = try SecretBytes(copying: bytes(hex: keys.secondGeneration))
    let fromSlot = try group.open(
      slot, at: .recovery, with: SecretBytes(copying: bytes(hex: keys.recoverySlot)))
    let isSlotRight = fromSlot.isEqual(to: expected)
    #expect(isSlotRight)
    #expect(try group.generationsWithWrappedSuccessorKey() == [1])
    let fromWrappedSuccessor = try group.unwrapSuccessorKey(
      of: 1, with: SecretBytes(copying: bytes(hex: keys.firstGeneration)))
    let isSuccessorRight = fromWrappedSuccessor.isEqual(to: expected)
    #expect(isSuccessorRight)
  }

  @Test func aNewFileWithTheFixturesContentReadsTheSame() throws {
    let scratch = try Scratch()
    let keys = try SampleGroup.Keys.fixture()
    try SampleGroup.make(at: scratch("fresh.vault"), keys: keys)
    let group = try unlock(scratch("fresh.vault"), bytes(hex: keys.secondGeneration))
    #expect(try SampleGroup.content(of: group) == SampleGroup.content)
  }
}
