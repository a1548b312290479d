import Foundation
import Testing
import TokenVaultCredentialHelpers

@Suite(.timeLimit(.minutes(1)))
struct HelperRegistryTests {
  @Test func eachNameAndEachProgramStandsForOneProtocol() {
    let names = HelperProtocol.all.map(\.name)
    let programs = HelperProtocol.all.flatMap(\.programs)
    #expect(Set(names).count == names.count)
    #expect(Set(programs).count == programs.count)
    #expect(HelperProtocol.spoken(by: "tokenvault") == nil)
    for spoken in HelperProtocol.all {
      #expect(HelperProtocol.named(spoken.name)?.programs == spoken.programs)
    }
  }

  @Test func thePackageLinksEveryHelperOfOurOwn() throws {
    let list = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../packaging/helpers")
    let linked = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
    #expect(linked.map(String.init) == HelperProtocol.all.flatMap(\.programs).sorted())
    #expect(linked.allSatisfy { $0.contains("tokenvault") })
    #expect(HelperProtocol.all.flatMap(\.substitutes).allSatisfy { !linked.contains($0[...]) })
  }
}
