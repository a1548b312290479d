import Testing

@testable import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct GroupManifestTests {
  @Test(arguments: [
    "", ".", "..", "bin/tool", "./tool", "../tool", "a\nb", "a\0", "/usr/bin/\u{7f}",
  ])
  func textThatIsNotAnExecutableIsNotAMember(text: String) {
    #expect(GroupManifest.Member(text) == nil)
  }

  @Test func aPathMatchesOneExecutableAndANameEveryOneOfThatName() throws {
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
}
