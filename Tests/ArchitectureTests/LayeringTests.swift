import Foundation
import Testing

@Suite(.timeLimit(.minutes(3)))
struct LayeringTests {
  let sources: [SourceFile]

  init() throws {
    sources =
      try Checkout.files(in: "Sources", endings: ["swift", "c", "h"])
      + Checkout.files(in: "Examples", endings: ["swift", "c", "h"])
  }

  var swift: [SourceFile] { sources.filter { $0.path.hasSuffix(".swift") } }

  @Test func theImportTableListsEveryTargetAndNoOther() throws {
    let targets = try ["Sources", "Examples"].flatMap { directory in
      try FileManager.default.contentsOfDirectory(
        atPath: Checkout.root.appending(path: directory).path)
    }
    #expect(Set(targets) == Set(ImportTable.allowed.keys))
  }

  @Test func aTargetImportsOnlyWhatTheTableAllows() {
    #expect(!swift.isEmpty)
    expectNone(swift.flatMap(Rules.imports))
  }

  @Test func theTableKeepsFoundationOffTheColdPath() {
    for target in ImportTable.withoutFoundation {
      let allowed = ImportTable.allowed[target] ?? []
      #expect(allowed.isDisjoint(with: ["Foundation", "FoundationEssentials"]), "\(target)")
    }
  }

  @Test func theTableGivesEachCModuleAtMostOneImporter() {
    for module in ImportTable.cModules {
      let importers = ImportTable.allowed.filter { $0.value.contains(module) }.keys
      #expect(importers.count <= 1, "\(module): \(importers)")
    }
  }

  @Test func theTableLetsNothingShippedImportTestSupport() {
    for (target, allowed) in ImportTable.allowed where target != "TokenVaultTestSupport" {
      #expect(!allowed.contains("TokenVaultTestSupport"), "\(target)")
    }
  }

  @Test func aForeignHeaderIsIncludedOnlyByItsCModule() {
    expectNone(sources.flatMap(Rules.includes))
  }
}
