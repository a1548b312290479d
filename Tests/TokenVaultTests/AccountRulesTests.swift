import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct AccountRulesTests {
  private let vault: TestVault
  private let rules: AccountRules

  init() throws {
    vault = try TestVault()
    rules = AccountRules(vaultDirectory: vault.directory.path)
  }

  private func rule(_ path: String, _ account: UInt8 = 1) -> AccountRule {
    AccountRule(
      group: .universalStorage, account: [UInt8](repeating: account, count: 32), path: path)
  }

  private func nearest(_ directory: String) throws -> String? {
    try rules.nearest(to: directory)?.conditions.directory
  }

  @Test func theNearestDirectoryAtOrAboveDecides() throws {
    #expect(try nearest("/a") == nil)
    for path in ["/a", "/a/b/c", "/a b"] { try rules.set(rule(path)) }
    #expect(try nearest("/a/b") == "/a")
    #expect(try nearest("/a/b/c/d") == "/a/b/c")
    #expect(try nearest("/ab") == nil)
    #expect(try nearest("/") == nil)
    try rules.set(rule("/"))
    #expect(try nearest("/ab") == "/")
  }

  @Test func aDirectoryHasOneRuleAndUnsafePathsAreRefused() throws {
    try rules.set(rule("/a", 1))
    try rules.set(rule("/a", 2))
    #expect(try rules.all().map { $0.accounts.map(\.[0]) } == [[2]])
    for bad in ["relative", "/a\nb", "/a\tb", ""] {
      #expect(throws: VaultError.self) { try rules.set(rule(bad)) }
    }
    #expect(try rules.remove(group: .universalStorage, accounts: rule("", 2).accounts) == 1)
    #expect(try rules.all() == [])
  }

  @Test func aRenamedDirectoryIsRecognised() throws {
    let (old, new) = (vault.home.appending(path: "old"), vault.home.appending(path: "new"))
    let files = FileManager.default
    try files.createDirectory(at: old, withIntermediateDirectories: false)
    try rules.set(rule(old.path))
    try rules.set(rule("/gone/for/ever"))
    #expect(try rules.all().map(\.conditions.directory) == [old.path, "/gone/for/ever"])
    #expect(try nearest(old.path + "/deep") == old.path)
    #expect(try rules.formerRule(of: old.path) == nil)
    try files.moveItem(at: old, to: new)
    for place in [new.path, new.path + "/deep/er"] {
      #expect(try rules.formerRule(of: place)?.conditions.directory == old.path)
    }
    #expect(try rules.formerRule(of: vault.home.path) == nil)
    // By its name alone, if an earlier program made the rule.
    let path = vault.directory.appending(path: "directories").path
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try SmallFile.write(Array(text.replacing(/\tinode=\d+:\d+/, with: "").utf8), to: path)
    #expect(try rules.formerRule(of: new.path) == nil)
    #expect(try rules.formerRule(of: "/else/old")?.conditions.directory == old.path)
    // A renewal of the group keeps the numbers.
    try files.moveItem(at: new, to: old)
    try rules.set(rule(old.path))
    try rules.stage(group: .universalStorage, tags: [rule("").accounts[0]: rule("", 2).accounts[0]])
    try files.moveItem(at: old, to: new)
    #expect(try rules.formerRule(of: new.path)?.accounts.count == 2)
  }

  @Test func rulesWithEveryConditionComeBackAsTheyWere() throws {
    var all = RuleConditions()
    all.directory = "/a=b"
    all.remote = RemotePattern("github.com/contoso")
    all.host = HostPattern("git.example.com:8443/team")
    all.audience = "https://graph.microsoft.com"
    all.tenant = "contoso.example"
    var domain = RuleConditions()
    domain.host = HostPattern("*.example.com")
    let tags = (1...3).map { [UInt8](repeating: $0, count: 32) }
    let made = [
      AccountRule(group: .universalStorage, account: tags[0], all),
      AccountRule(group: .universalStorage, account: tags[1], domain, isDenial: true),
      AccountRule(group: .universalStorage, account: tags[2], domain, isDenial: true),
      AccountRule(group: .universalStorage, account: tags[2], domain),
    ]
    for rule in made { try rules.set(rule) }
    #expect(try rules.all() == made)
    try rules.set(AccountRule(group: "com.example.other", account: tags[0], domain))
    #expect(try rules.all().count == 4)
    #expect(try rules.remove(made[1]))
    #expect(try rules.all().filter(\.isDenial) == [made[2]])
  }

  @Test func aDenialStaysOneThroughARenewal() throws {
    let tags = (1...2).map { [UInt8](repeating: $0, count: 32) }
    var place = RuleConditions()
    place.tenant = "t"
    try rules.set(AccountRule(group: .universalStorage, account: tags[0], place, isDenial: true))
    for (from, to) in [(0, 1), (1, 0), (0, 1)] {
      try rules.stage(group: .universalStorage, tags: [tags[from]: tags[to]])
      let staged = Set(try rules.all().flatMap(\.accounts))
      #expect(staged == Set(tags))
      try rules.settle(group: .universalStorage, tags: [tags[from]: tags[to]])
      #expect(try rules.all().map(\.accounts) == [[tags[to]]])
    }
  }

  @Test func aRuleThatWouldBeReadAsAnotherIsNotWritten() throws {
    for change in [
      { $0.audience = "" }, { $0.tenant = "" }, { $0.tenant = "a\tdeny" }, { $0.audience = "a\n" },
    ] as [(inout RuleConditions) -> Void] {
      var conditions = RuleConditions()
      change(&conditions)
      let bad = AccountRule(
        group: .universalStorage, account: [UInt8](repeating: 1, count: 32), conditions)
      #expect(throws: VaultError.self) { try rules.set(bad) }
    }
    #expect(try rules.all().isEmpty)
  }

  @Test func aDenialHoldsWhateverRuleIsMoreSpecific() throws {
    let tags = (1...2).map { [UInt8](repeating: $0, count: 32) }
    var work = RuleConditions()
    work.directory = "/projects"
    try rules.set(AccountRule(group: .universalStorage, account: tags[0], work, isDenial: true))
    try rules.set(rule("/projects/deep", 1))
    var situation = Situation()
    situation.directory = "/projects/deep/er"
    let (found, denials) = try rules.matching(situation)
    #expect(found?.accounts == [tags[0]] && denials.map(\.accounts) == [[tags[0]]])
    situation.directory = "/projectss"
    #expect(try rules.matching(situation).denials.isEmpty)
  }

  @Test func aFileThatCouldNotBeReadAgainIsNotWritten() throws {
    let name = String(repeating: "a", count: 4000)
    var refused: VaultError?
    var accepted = 0
    for index in 0..<40 where refused == nil {
      do throws(VaultError) {
        try rules.set(rule("/\(index)/\(name)"))
        accepted += 1
      } catch { refused = error }
    }
    #expect(refused?.name == "badManifest" && accepted > 10)
    #expect(try nearest("/0/\(name)") != nil)
  }

  @Test func aMalformedRulesFileIsRefused() throws {
    try rules.set(rule("/a"))
    let path = vault.directory.appending(path: "directories").path
    let tag = String(repeating: "a", count: 64)
    for text in [
      "x\n", "group\taa\t/a\n", "com.example\tzz\t/a\n", "com.example\t\(tag)\t/a\t1\n",
      "com.example\t\(tag)\t/a\tinode=1:x\n", "com.example\t\(tag)\t/a\tinode=1:2\t\n",
      "com.example\t\(tag)\n", "com.example\t\(tag)\t\n", "com.example\t\(tag)\thost=*.com\n",
      "com.example\t\(tag)\tremote=a\n", "com.example\t\(tag)\taudience=\n",
      "com.example\t\(tag)\t=x\n", "com.example\t\(tag)\t/a\tnew=x\n",
    ] {
      try SmallFile.write(Array(text.utf8), to: path)
      let error = #expect(throws: VaultError.self) { try rules.all() }
      #expect(error?.name == "badManifest")
    }
  }
}
