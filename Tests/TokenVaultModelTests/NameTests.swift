import Testing

@testable import TokenVaultModel

@Suite struct NameTests {
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
  ]) func whatCouldLeaveADirectoryOrCollideIsNoGroupName(text: String) {
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

  @Test(arguments: [
    "", ".", "..", "bin/tool", "./tool", "../tool", "a\nb", "a\0", "/usr/bin/\u{7f}",
  ])
  func whatIsNoExecutableIsNoMember(text: String) {
    #expect(GroupManifest.Member(text) == nil)
  }

  @Test func aPathMatchesThatExecutableAloneAndANameAnyOfThatName() throws {
    let path = try #require(GroupManifest.Member("/usr/bin/tool"))
    #expect(path.matches(executable: "/usr/bin/tool"))
    #expect(!path.matches(executable: "/tmp/usr/bin/tool"))
    #expect(!path.matches(executable: "/usr/bin/tool2"))
    #expect(!path.matches(executable: "/usr/bin/../bin/tool"))
    let bare = try #require(GroupManifest.Member("tool"))
    #expect(bare.matches(executable: "/usr/bin/tool"))
    #expect(bare.matches(executable: "/opt/tool"))
    #expect(!bare.matches(executable: "/opt/tool/other"))
    #expect(!bare.matches(executable: "/opt/TOOL"))
    let manifest = GroupManifest(
      name: .universalStorage, title: "", members: [path], custody: .secretService,
      deviceMode: .private)
    #expect(manifest.admits(executable: "/usr/bin/tool"))
    #expect(!manifest.admits(executable: "/opt/tool"))
  }

  @Test func namesAreComparedWithoutCaseAndByteForByte() {
    #expect(CaseFolding.equal("Alice@Contoso.EXAMPLE", "alice@contoso.example"))
    #expect(CaseFolding.equal("ÄÖ", "äö"))
    #expect(!CaseFolding.equal("\u{e9}", "e\u{301}"))
    #expect(CaseFolding.fold("A") == [97])
  }

  @Test func scopesAreASetWithoutCase() {
    let scopes = ScopeSet(target: "  User.Read\tMail.Send user.read ")
    #expect(scopes.scopes == ["User.Read", "Mail.Send"])
    #expect(scopes.description == "User.Read Mail.Send")
    #expect(scopes == ScopeSet(["MAIL.SEND", "user.read"]))
    #expect(scopes.hashValue == ScopeSet(["MAIL.SEND", "user.read"]).hashValue)
    #expect(ScopeSet(["mail.send"]).isSubset(of: scopes))
    #expect(!scopes.isSubset(of: ScopeSet(["mail.send"])))
    #expect(scopes.intersects(ScopeSet(["x", "USER.READ"])))
    #expect(!scopes.intersects(ScopeSet(["x"])))
    #expect(ScopeSet(["", ""]).isEmpty)
    #expect(ScopeSet([]).isSubset(of: scopes))
    #expect(!ScopeSet([]).intersects(scopes))
  }

  @Test func aTimeIsHeldAtTheEndsOfItsRange() {
    #expect(Timestamp(epochSeconds: .max).advanced(by: 1).epochSeconds == .max)
    #expect(Timestamp(epochSeconds: .min).advanced(by: -1).epochSeconds == .min)
    #expect(Timestamp(epochSeconds: 5).advanced(by: -7).epochSeconds == -2)
    #expect(Timestamp(epochSeconds: -1) < Timestamp(epochSeconds: 0))
  }
}
