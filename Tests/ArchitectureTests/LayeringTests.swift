import Foundation
import Testing

@Suite("The walls between the rooms")
struct LayeringTests {
  let sources: [SourceFile]

  init() throws {
    sources =
      try Checkout.files(in: "Sources", endings: ["swift", "c", "h"])
      + Checkout.files(in: "Examples", endings: ["swift", "c", "h"])
  }

  var swift: [SourceFile] { sources.filter { $0.path.hasSuffix(".swift") } }

  func expectNone(_ violations: [Violation]) {
    for violation in violations { Issue.record("\(violation)") }
  }

  @Test func everyRoomIsInTheTableAndEveryRowOfTheTableIsARoom() throws {
    let rooms = try ["Sources", "Examples"].flatMap { directory in
      try FileManager.default.contentsOfDirectory(
        atPath: Checkout.root.appending(path: directory).path)
    }
    #expect(Set(rooms) == Set(ImportTable.allowed.keys))
  }

  @Test func aRoomImportsOnlyWhatTheTableAllows() {
    #expect(!swift.isEmpty)
    expectNone(swift.flatMap(Rules.imports))
  }

  @Test func theTableKeepsFoundationOutOfTheColdPathAndGivesEachDoorOneImporter() {
    for room in ImportTable.withoutFoundation {
      let allowed = ImportTable.allowed[room] ?? []
      #expect(allowed.isDisjoint(with: ["Foundation", "FoundationEssentials"]), "\(room)")
    }
    for door in ImportTable.doors {
      let importers = ImportTable.allowed.filter { $0.value.contains(door) }.keys
      #expect(importers.count <= 1, "\(door): \(importers)")
    }
    for (room, allowed) in ImportTable.allowed where room != "TokenVaultTestSupport" {
      #expect(!allowed.contains("TokenVaultTestSupport"), "\(room)")
    }
  }

  @Test func aForeignHeaderIsIncludedOnlyByItsDoor() {
    expectNone(sources.flatMap(Rules.includes))
  }

  @Test func nothingTurnsAnErrorIntoACrashOrIntoSilence() {
    expectNone(swift.filter { $0.module != "TokenVaultTestSupport" }.flatMap(Rules.banned))
  }

  @Test func aFileIsSmall() throws {
    expectNone((try sources + Checkout.files(in: "Tests", endings: ["swift"])).flatMap(Rules.size))
  }

  @Test func noPathOfOneMachineIsInTheSources() throws {
    expectNone((try sources + Checkout.files(in: "Tests", endings: ["swift"])).flatMap(Rules.homes))
  }
}
