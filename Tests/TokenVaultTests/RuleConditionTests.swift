import Testing
import TokenVault
import TokenVaultSignIn

/// Which circumstances a rule is for. A look-alike must never fit.
@Suite(.timeLimit(.minutes(1)))
struct RuleConditionTests {
  private static func situation(
    _ address: String? = nil, in directory: String? = nil, remotes: [String] = []
  ) throws -> Situation {
    var situation = Situation(remotes: { remotes.map { .init(name: "r", url: $0) } })
    situation.directory = directory
    situation.address = try address.map { try #require(HTTPURL($0)) }
    return situation
  }

  @Test(arguments: [
    ("git.example.com", "https://git.example.com/a", true),
    ("git.example.com", "https://GIT.example.com:443/a", true),
    ("git.example.com", "http://git.example.com/a", false),
    ("git.example.com", "https://git.example.com:8443/", false),
    ("git.example.com", "https://git.example.com./", false),
    ("git.example.com", "https://git.example.com.evil.example/", false),
    ("git.example.com", "https://evilgit.example.com/", false),
    ("git.example.com", "https://xn--gt-mja.example.com/", false),
    ("git.example.com/team", "https://git.example.com/team/x", true),
    ("git.example.com/team", "https://git.example.com/teams", false),
    ("git.example.com/team", "https://git.example.com/team/%2e%2e/other", false),
    ("*.example.com", "https://git.example.com/", true),
    ("*.example.com", "https://a.b.example.com/", true),
    ("*.example.com", "https://example.com/", false),
    ("*.example.com", "https://badexample.com/", false),
    ("*.example.com", "https://git.example.com:8443/", false),
    ("*.example.com", "http://git.example.com/", false),
  ])
  func aHostFitsItsOwnAddressesOnly(pattern: String, address: String, fits: Bool) throws {
    var rule = RuleConditions()
    rule.host = HostPattern(pattern)
    try #require(rule.host != nil)
    #expect(try rule.hold(in: Self.situation(address)) == fits)
    #expect(try !rule.hold(in: Self.situation()))
  }

  @Test(arguments: ["*.com", "*", "*.*.com", "a b", "https://u@h", "h?q", "", "gït.example.com"])
  func aPatternThatIsTooWideOrNoHostIsRefused(pattern: String) {
    #expect(HostPattern(pattern) == nil)
  }

  @Test(arguments: [
    "https://github.com/Contoso/app.git", "https://ada@github.com/contoso/app",
    "ssh://git@github.com:22/contoso/app.git", "git@github.com:contoso/app.git",
    "github.com:contoso/app",
  ])
  func eachFormOfARemoteIsRead(url: String) throws {
    var rule = RuleConditions()
    rule.remote = RemotePattern("github.com/contoso")
    #expect(try rule.hold(in: Self.situation(remotes: [url])))
    rule.remote = RemotePattern("github.com/contoso/app")
    #expect(try rule.hold(in: Self.situation(remotes: [url])))
    rule.remote = RemotePattern("github.com/contoso/other")
    #expect(try !rule.hold(in: Self.situation(remotes: [url])))
    rule.remote = RemotePattern("gitlab.com/contoso")
    #expect(try !rule.hold(in: Self.situation(remotes: [url])))
  }

  @Test(arguments: [
    "/srv/github.com/contoso/app", "../contoso", "https://github.com", "https:///contoso",
    "git@evil.example:github.com/contoso/x", "https://github.com@evil.example/contoso/x",
    "https://github.com.evil.example/contoso/x", "git@github.com:../contoso/x",
  ])
  func aRemoteElsewhereIsNotTheOwners(url: String) throws {
    var rule = RuleConditions()
    rule.remote = RemotePattern("github.com/contoso")
    #expect(try !rule.hold(in: Self.situation(remotes: [url])))
  }

  @Test func theAddressSaysMoreAboutTheRepositoryThanTheDirectory() throws {
    var rule = RuleConditions()
    rule.remote = RemotePattern("github.com/contoso")
    let remotes = ["git@github.com:contoso/app.git"]
    #expect(
      try !rule.hold(in: Self.situation("https://github.com/ada/private", remotes: remotes)))
    #expect(try rule.hold(in: Self.situation("https://github.com", remotes: remotes)))
    #expect(try !rule.hold(in: Self.situation("https://gitlab.com", remotes: remotes)))
  }

  @Test func aRepositoryWithoutANameIsNone() {
    #expect(RemotePattern("github.com/.git") == nil)
    #expect(RemotePattern("github.com/contoso/.git") == nil)
    #expect(RemotePattern("github.com/contoso/.git.git") == nil)
  }

  /// A rule is written to a file. Another reading there would make it a rule for another repository.
  @Test(arguments: [
    ("app.git", "app"), ("app.git.git", "app"), ("app.git.app", "app.git.app"), ("..git", nil),
    ("...git", nil), ("....git", "..."),
  ])
  func aRepositoryIsReadFromItsDescriptionAsTheSame(name: String, read: String?) {
    let pattern = RemotePattern("github.com/contoso/\(name)")
    #expect(pattern?.description == read.map { "github.com/contoso/\($0)" })
    #expect(pattern.flatMap { RemotePattern($0.description) } == pattern)
  }

  @Test func aDirectoryIsForEverythingBelowIt() throws {
    var rule = RuleConditions()
    rule.directory = "/projects/ada"
    for (path, fits) in [
      ("/projects/ada", true), ("/projects/ada/x/y", true), ("/projects/adam", false),
      ("/projects", false),
    ] {
      #expect(try rule.hold(in: Self.situation(in: path)) == fits)
    }
    rule.directory = "/"
    #expect(try rule.hold(in: Self.situation(in: "/tmp")))
    #expect(try !rule.hold(in: Self.situation()))
  }

  /// A denial holds for every spelling that a server may take for the place, and if git does not say.
  @Test(arguments: [
    ("d.example.com/contoso", "https://d.example.com", true),
    ("d.example.com/contoso", "https://d.example.com/Contoso/x", true),
    ("d.example.com/contoso", "https://d.example.com/contoso/./x", true),
    ("d.example.com/contoso", "https://d.example.com/%63ontoso/x", true),
    ("d.example.com/contoso", "https://d.example.com/a/%2e%2e/x", true),
    ("d.example.com/contoso", "http://d.example.com:8080/contoso/x", true),
    ("d.example.com/contoso", "https://d.example.com/other/x", false),
    ("d.example.com/contoso", "https://e.example.com/contoso", false),
    ("*.example.com", "https://d.example.com:8443/", true),
    ("*.example.com", "https://badexample.com/", false),
  ])
  func aDenialOfAHostHoldsInDoubt(pattern: String, address: String, holds: Bool) throws {
    var rule = RuleConditions()
    rule.host = HostPattern(pattern)
    #expect(try rule.mayHold(in: Self.situation(address)) == holds)
    #expect(try !rule.mayHold(in: Self.situation()))
  }

  @Test(arguments: [
    ("https://d.example.com", nil, true), ("https://d.example.com", [], true),
    ("https://d.example.com", ["git@d.example.com:contoso/x"], true),
    ("https://d.example.com", ["git@d.example.com:me/x"], false),
    ("https://d.example.com", ["git@d.example.com:me/x", "git@d.example.com:contoso/x"], true),
    ("https://d.example.com/contoso/x", ["git@d.example.com:me/x"], true),
    ("https://d.example.com/%63ontoso/x", ["git@d.example.com:me/x"], true),
    ("https://d.example.com/me/x", [], false), ("https://e.example.com", nil, false),
  ])
  func aDenialOfARemoteHoldsInDoubt(address: String, urls: [String]?, holds: Bool) throws {
    var rule = RuleConditions()
    rule.remote = RemotePattern("d.example.com/contoso")
    var situation = Situation(remotes: {
      urls.map { $0.enumerated().map { Situation.Remote(name: "r\($0)", url: $1) } }
    })
    situation.address = HTTPURL(address)
    #expect(rule.mayHold(in: situation) == holds)
  }

  @Test func ofSeveralRemotesOriginCounts() throws {
    var rule = RuleConditions()
    rule.remote = RemotePattern("d.example.com/contoso")
    let remotes = [
      Situation.Remote(name: "origin", url: "git@d.example.com:me/x"),
      Situation.Remote(name: "upstream", url: "git@d.example.com:contoso/x"),
    ]
    #expect(!rule.hold(in: Situation(remotes: { remotes })))
    #expect(rule.mayHold(in: Situation(remotes: { remotes })))
  }

  @Test func aDenialOfGraphHoldsForScopesWithoutAResource() throws {
    var rule = RuleConditions()
    rule.audience = "https://graph.microsoft.com"
    var situation = Situation()
    situation.take(scopes: ["User.Read"], resource: nil)
    #expect(rule.mayHold(in: situation) && !rule.hold(in: situation))
    situation.take(scopes: ["openid"], resource: nil)
    #expect(!rule.mayHold(in: situation))
    situation.take(
      scopes: ["https://a.example/x", "https://graph.microsoft.com/User.Read"], resource: nil)
    #expect(rule.hold(in: situation))
  }

  @Test func anAudienceAndATenantAreComparedWithoutTheirEndings() throws {
    var rule = RuleConditions()
    rule.audience = "https://graph.microsoft.com"
    var situation = try Self.situation()
    for audience in [
      "https://graph.microsoft.com/", "https://graph.microsoft.com/.default",
      "https://Graph.Microsoft.com",
    ] {
      situation.audiences = [audience]
      #expect(rule.hold(in: situation))
    }
    situation.audiences = ["https://graph.microsoft.com.evil.example"]
    #expect(!rule.hold(in: situation))
    rule.audience = nil
    rule.tenant = "Contoso.Example"
    #expect(!rule.hold(in: situation))
    situation.tenant = "contoso.example"
    #expect(rule.hold(in: situation))
  }

  @Test func aRuleAboutTheRequestComesBeforeOneAboutTheDirectory() throws {
    var rules: [RuleConditions] = []
    func add(_ change: (inout RuleConditions) -> Void) {
      var conditions = RuleConditions()
      change(&conditions)
      rules.append(conditions)
    }
    add { $0.directory = "/projects" }
    add { $0.directory = "/projects/ada" }
    add { $0.tenant = "t" }
    add { $0.audience = "https://a.example" }
    add { $0.host = HostPattern("*.example.com") }
    add { $0.host = HostPattern("git.example.com") }
    add { $0.host = HostPattern("git.example.com/team") }
    add { $0.remote = RemotePattern("git.example.com/team") }
    add {
      $0.remote = RemotePattern("git.example.com/team")
      $0.directory = "/projects"
    }
    for (index, rule) in rules.enumerated() {
      for other in rules[..<index] {
        #expect(rule.isMoreSpecific(than: other) && !other.isMoreSpecific(than: rule))
      }
      #expect(!rule.isMoreSpecific(than: rule))
    }
  }
}
