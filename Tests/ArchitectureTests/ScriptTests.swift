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
    #expect(test.isSuperset(of: ["chromium", "glewlwyd", "tmux"]))
  }

  @Test(arguments: [
    ("scripts/build", "build"), ("scripts/fuzz", "build"), ("scripts/demo", "demo"),
    ("scripts/test", "test"), ("Benchmarks/run", "test"),
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

  @Test func testsThatBeganAndDidNotEndAreNamed() throws {
    let log = """
      ◇ Test run started.
      ◇ Suite FirstTests started.
      ◇ Suite SecondTests started.
      ◇ Test aName() started.
      ◇ Test aName() started.
      ◇ Test aList(word:) started.
      ◇ Test anEnd() started.
      ✔ Test aName() passed after 0.1 seconds.
      ✔ Test aList(word:) with 8 test cases passed after 4.7 seconds.
      ✘ Test anEnd() failed after 0.1 seconds with 1 issue.
      ✔ Suite SecondTests passed after 0.2 seconds.
      """
    let result = try Script.run("scripts/unfinished-tests", input: log + "\n")
    #expect(result.status == 0)
    #expect(result.output == "Suite FirstTests\nTest aName()\n")
  }

  @Test func theDiagramIsDrawnFromTheManifest() throws {
    let drawn = try Script.run("scripts/draw-architecture", "--print")
    #expect(drawn.status == 0)
    #expect(
      drawn.output == (try Checkout.file("docs/architecture.svg").text),
      "run scripts/draw-architecture")
  }
}
