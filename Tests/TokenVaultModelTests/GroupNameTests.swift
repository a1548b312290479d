import Testing

@testable import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct GroupNameTests {
  @Test(arguments: [
    "a", "default", "com.microsoft.identity.universalstorage", "a-b.c-1", "0", "xn--bcher-kva",
  ]) func aReverseDNSNameIsAGroupName(text: String) {
    #expect(GroupName(text)?.description == text)
  }

  @Test(arguments: [
    "", ".", "..", "...", "a.", ".a", "a..b", "../a", "a/b", "/a", "a\\b", "~a", "a b", " a", "a\n",
    "a\0", "A", "com.Contoso", "-a", "a-", "a.-b", "a-.b", "ä", "ａ", "а", "e\u{301}", "a\u{200b}",
    "*",
    "%2e%2e", "a_b", "a:b", "a%00b",
  ]) func textThatCouldLeaveADirectoryOrCollideIsNotAGroupName(text: String) {
    #expect(GroupName(text) == nil)
  }

  @Test func aGroupNameHasAtMost128Characters() {
    #expect(GroupName(String(repeating: "a", count: 128)) != nil)
    #expect(GroupName(String(repeating: "a", count: 129)) == nil)
  }

  @Test func groupNamesSortAsText() throws {
    let names = try ["b", "a.b", "a"].map { try #require(GroupName($0)) }
    #expect(names.sorted().map(\.description) == ["a", "a.b", "b"])
    #expect(GroupName.universalStorage == GroupName("com.microsoft.identity.universalstorage"))
  }

  @Test func aLiteralIsAGroupName() {
    let name: GroupName = "com.example.tools"
    #expect(name.description == "com.example.tools")
  }

  @Test func aLiteralThatIsNotAGroupNameStopsTheProgramAndSaysWhy() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let name: GroupName = "Not A Name"
        print(name)
      })
    let said = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(said.contains("\"Not A Name\" is not a group name"))
  }
}
