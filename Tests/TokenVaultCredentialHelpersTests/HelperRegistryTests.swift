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
}
