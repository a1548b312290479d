import Testing

@Suite(.timeLimit(.minutes(3)))
struct ScriptTests {
  private func packages(_ need: String) throws -> Set<String> {
    let result = try Script.run("scripts/install-missing", "--list", need)
    #expect(result.status == 0)
    return Set(result.output.split(separator: "\n").map(String.init))
  }

  @Test func aBuildInstallsNeitherABrowserNorAProviderNorATerminal() throws {
    let build = try packages("build")
    #expect(build.isSuperset(of: ["libsqlite3-dev", "libssl-dev", "pkg-config"]))
    #expect(build.isDisjoint(with: ["chromium", "glewlwyd", "tmux", "gnome-keyring", "strace"]))
    #expect(try packages("demo").isDisjoint(with: ["chromium", "glewlwyd", "tmux", "strace"]))
  }

  @Test func eachListOfPackagesContainsTheSmallerOne() throws {
    let (build, demo, test) = (try packages("build"), try packages("demo"), try packages("test"))
    #expect(build.isStrictSubset(of: demo))
    #expect(demo.isStrictSubset(of: test))
    #expect(demo.isStrictSubset(of: try packages("instructions")))
    #expect(test.isSuperset(of: ["chromium", "glewlwyd", "tmux"]))
  }

  @Test func aPackageIsBuiltWithoutTheToolsOfItsTest() throws {
    let (package, test) = (try packages("package"), try packages("test-package"))
    #expect(try packages("build").isStrictSubset(of: package))
    #expect(package.isStrictSubset(of: test))
    #expect(package.isDisjoint(with: ["debootstrap", "lintian"]))
    #expect(package.contains("python3"), "scripts/sbom")
  }

  /// The tests pass with and without the programs that are only measured.
  @Test func theBenchmarksInstallNoBrowserAndTheTestsNoProgramThatIsOnlyMeasured() throws {
    let (benchmarks, test) = (try packages("benchmarks"), try packages("test"))
    #expect(try packages("demo").isStrictSubset(of: benchmarks))
    #expect(benchmarks.isSuperset(of: ["gh", "libsecret-tools", "oidc-agent-cli", "pass", "time"]))
    #expect(benchmarks.isDisjoint(with: ["chromium", "glewlwyd", "dovecot-imapd"]))
    #expect(test.isSuperset(of: ["libsecret-tools", "oidc-agent-cli", "pass"]))
    #expect(test.isDisjoint(with: ["gh", "time"]))
  }

  @Test(arguments: [
    ("scripts/build", "build"), ("scripts/fuzz", "build"), ("scripts/demo", "demo"),
    ("scripts/test", "test"), ("scripts/sanitize", "test"), ("Benchmarks/run", "benchmarks"),
    ("scripts/package", "package"), ("scripts/test-package", "test-package"),
    ("scripts/instructions", "instructions"), ("scripts/faults", "faults"),
  ])
  func aScriptInstallsItsOwnListOnly(script: String, need: String) throws {
    let calls = try Checkout.file(script).lines.map { $0.text.drop { $0 == " " } }
      .filter { $0.hasPrefix("scripts/install-missing") }
    #expect(calls == ["scripts/install-missing \(need)"])
  }

  @Test func anUnknownNeedIsAUsageError() throws {
    #expect(try Script.run("scripts/install-missing").status == 64)
    #expect(try Script.run("scripts/install-missing", "all").status == 64)
  }

  @Test func aFailedRunEndsWithItsReasonsAndTheTestsThatDidNotEnd() throws {
    func event(_ kind: String, _ test: String, _ text: String = "") -> String {
      #"{"version":0,"kind":"event","payload":{"kind":"\#(kind)","testID":"\#(test)""#
        + #","messages":[{"symbol":"fail","text":"\#(text)"}]}}"#
    }
    let events = [
      event("testStarted", "ATests.FirstTests"), event("testStarted", "ATests.SecondTests"),
      event("testStarted", "ATests.FirstTests\\/aHang()\\/FirstTests.swift:4:9"),
      event("testStarted", "ATests.SecondTests\\/aFailure()\\/SecondTests.swift:4:9"),
      event("issueRecorded", "ATests.SecondTests\\/aFailure()\\/SecondTests.swift:4:9", "1 == 2"),
      event("testEnded", "ATests.SecondTests\\/aFailure()\\/SecondTests.swift:4:9"),
      event("testStarted", "ATests.SecondTests\\/aSkip()\\/SecondTests.swift:9:9"),
      event("testSkipped", "ATests.SecondTests\\/aSkip()\\/SecondTests.swift:9:9"),
      event("testEnded", "ATests.SecondTests"), #"{"version":0,"kind":"ev"#,
    ]
    let result = try Script.run(
      "scripts/failed-tests", input: events.joined(separator: "\n"))
    #expect(result.status == 0)
    #expect(
      result.output
        == "failed: ATests.SecondTests/aFailure()\n  1 == 2\n"
        + "did not end: ATests.FirstTests/aHang()\n")
  }

  @Test func theDiagramIsDrawnFromTheManifest() throws {
    let drawn = try Script.run("scripts/draw-architecture", "--print")
    #expect(drawn.status == 0)
    #expect(
      drawn.output == (try Checkout.file("docs/architecture.svg").text),
      "run scripts/draw-architecture")
  }
}
