import Testing
import TokenVaultPlaintext

@Suite(.timeLimit(.minutes(2)))
struct PlaintextFormatTests {
  @Test func everyFormatHasASample() {
    let formats = Set(SampleFile.all.map(\.format))
    for format in PlaintextFormat.allCases where format != .kubeCache {
      #expect(formats.contains(format), "\(format)")
    }
  }

  @Test(arguments: SampleFile.all.indices)
  func theSecretsOfAFileAreFound(index: Int) {
    let sample = SampleFile.all[index]
    #expect(sample.file.secrets.map(\.summary) == sample.found)
    for secret in sample.file.secrets {
      #expect((secret.obstacle == nil) == sample.isRemovable, "\(sample.format) \(secret.place)")
    }
  }

  @Test(arguments: SampleFile.all.indices)
  func noDescriptionHasASecret(index: Int) {
    for secret in SampleFile.all[index].file.secrets {
      #expect(!"\(secret)".contains("S3C"))
      #expect(!secret.summary.joined().contains("S3C"))
    }
  }

  @Test(arguments: SampleFile.all.indices)
  func aRemovalTakesOutTheSecretsAlone(index: Int) throws {
    let sample = SampleFile.all[index]
    let file = sample.file
    guard sample.isRemovable else {
      #expect(throws: PlaintextError.notSeparable) { try file.removing([0]) }
      return
    }
    for chosen in Self.subsets(of: file.secrets.count) {
      let rest = try file.removing(chosen)
      var expected = file.bytes
      for cut in try file.cuts(chosen).reversed() { expected.removeSubrange(cut) }
      #expect(rest == expected)
      let kept = SampleFile.file(rest, sample.format).secrets.map(\.secret?.description)
      #expect(kept.count == file.secrets.count - chosen.count)
    }
    let none = try file.removing(Set(file.secrets.indices))
    #expect(String(decoding: none, as: UTF8.self).firstRange(of: "S3C1") == nil)
  }

  private static func subsets(of count: Int) -> [Set<Int>] {
    (1..<(1 << count)).map { bits in Set((0..<count).filter { bits & 1 << $0 != 0 }) }
  }

  /// A token in the place of a user name is not printed.
  @Test func aUserNameThatIsATokenIsHidden() {
    let texts = [
      "https://ghp_S3C1:x-oauth-basic@github.com", "https://github_pat_S3C1@github.com",
      "https://0123456789abcdef0123456789abcdefS3C1:x@git.example",
    ]
    for text in texts {
      for format in [PlaintextFormat.gitCredentials, .pip] {
        let file = PlaintextFile(Array(text.utf8), format)
        #expect(file.secrets.count == 1 && file.secrets.allSatisfy { $0.username == nil })
        #expect(!"\(file.secrets)".contains("S3C1"))
      }
    }
    for text in [#"{"auths": {"https://a:S3C1@h/v1/": {"auth": "YTpi"}}}"#] {
      let file = PlaintextFile(Array(text.utf8), .docker)
      #expect(
        file.secrets.map(\.summary) == [
          ["password", "auths.https://h/v1/.auth", "a", "https://h/v1/"]
        ])
    }
    let npm = PlaintextFile(Array("//a:S3C1@h/:_authToken=x".utf8), .npm)
    #expect(npm.secrets.map(\.place) == ["//h/:_authToken"])
    let netrc = PlaintextFile(Array("machine a login ghp_S3C1 password x".utf8), .netrc)
    #expect(netrc.secrets.map(\.username) == [nil])
  }

  @Test(arguments: [
    (PlaintextFormat.githubHosts, "github.com: {oauth_token: S3C1}\n"),
    (.githubHosts, "a: &x\n  oauth_token: S3C1\n"),
    (.githubHosts, "a:\n  oauth_token: |\n    S3C1\n"),
    (.githubHosts, "a:\n\toauth_token: S3C1\n"),
    (.kubeconfig, "users: [{name: u, user: {token: S3C1}}]\n"),
    (.cargo, "[registry]\ntoken = \"\"\"S3C1\"\"\"\n"),
    (.cargo, "registry = {token = \"S3C1\"}\n"),
    (.docker, "{\"auths\": {\"h\": {\"auth\": \"S3C1\""),
    (.terraformConfiguration, "credentials \"h\" { token = \"S3C1\" }\n"),
  ])
  func aFileThatIsNotUnderstoodIsReportedAndStays(format: PlaintextFormat, text: String) {
    let file = PlaintextFile(Array(text.utf8), format)
    #expect(!file.secrets.isEmpty)
    #expect(file.secrets.allSatisfy { $0.obstacle != nil })
    #expect(throws: PlaintextError.notSeparable) { try file.removing([0]) }
  }

  @Test(arguments: [
    "machine a login b password c macdef m\n x\n\n", "machine a password \"S3C\\\"1\"\n",
    "machine a password x password y\n", "machine a login b password x nonsense\n",
  ])
  func anEntryOfNetrcWithMoreStays(text: String) {
    let file = PlaintextFile(Array(text.utf8), .netrc)
    #expect(file.secrets.count == 1 && file.secrets.allSatisfy { $0.obstacle != nil })
  }

  @Test(arguments: [
    (".netrc", "ada", PlaintextFormat.netrc), ("dot_netrc", "x", .netrc), (".netrc~", "x", .netrc),
    ("config.json", ".docker", .docker), ("config.json", "dot_docker", .docker),
    ("hosts.yml", "gh", .githubHosts), ("private_dot_npmrc", "x", .npm),
    ("credentials", ".aws", .aws), ("credentials", "git", .gitCredentials),
    ("config", ".kube", .kubeconfig), ("pip.conf.bak", "pip", .pip),
  ])
  func aFileIsKnownByItsName(name: String, directory: String, format: PlaintextFormat) {
    #expect(PlaintextFormat(fileName: name, in: directory) == format)
  }

  @Test(arguments: [("config.json", "app"), ("config", "ssh"), ("readme", "git"), ("", "")])
  func otherFilesAreLeftAlone(name: String, directory: String) {
    #expect(PlaintextFormat(fileName: name, in: directory) == nil)
  }

  @Test func theEndOfATokenIsRead() {
    let payload = "eyJleHAiOjE5MDAwMDAwMDB9"
    let file = PlaintextFile(
      Array("//r.example/:_authToken=eyJhbGciOiJub25lIn0.\(payload).x\n".utf8), .npm)
    #expect(file.secrets.first?.expiresOn?.epochSeconds == 1_900_000_000)
    let cache = PlaintextFile(
      Array(#"{"accessToken": "x", "expiresAt": "2030-03-17T17:46:40Z"}"#.utf8), .awsCache)
    #expect(cache.secrets.first?.expiresOn?.epochSeconds == 1_900_000_000)
  }
}
