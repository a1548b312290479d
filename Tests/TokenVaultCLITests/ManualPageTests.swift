import Foundation
import Testing
import TokenVaultTestSupport

/// The manual pages, as scripts/build makes them, read by mandoc.
@Suite(.timeLimit(.minutes(5)))
struct ManualPageTests {
  private static let manual = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/manual")

  private func home() throws -> ShellHome {
    let program = try BuiltProduct("tokenvault").url
    let home = try ShellHome(
      SharedSecretService.get(), programs: program.deletingLastPathComponent())
    for page in ["tokenvault.1", "tokenvault-config.5"] {
      let made = try home.run(
        "tokenvault --experimental-dump-help | tokenvault-manual \(Self.manual.path)/\(page) >\(page)"
      )
      try #require(made.status == 0, "\(made.errors)")
    }
    return home
  }

  @Test(arguments: ["tokenvault.1", "tokenvault-config.5"])
  func mandocHasNoWarning(page: String) throws {
    let lint = try home().run("mandoc -T lint -W warning \(page)")
    #expect(lint.status == 0)
    #expect(lint.output.isEmpty && lint.errors.isEmpty, "\(lint.output)\(lint.errors)")
  }

  @Test(arguments: [
    (
      "tokenvault.1",
      [
        "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "ENVIRONMENT", "FILES", "EXIT STATUS",
        "EXAMPLES", "DIAGNOSTICS", "SEE ALSO", "SECURITY CONSIDERATIONS",
      ]
    ),
    (
      "tokenvault-config.5",
      ["NAME", "DESCRIPTION", "JSON OUTPUT", "FILES", "EXAMPLES", "SEE ALSO"]
    ),
  ])
  func aPageHasItsSections(page: String, sections: [String]) throws {
    let headings = try shown(page, home()).split(separator: "\n")
      .filter { $0.wholeMatch(of: /[A-Z][A-Z ]+/) != nil }.map(String.init)
    #expect(headings == sections)
  }

  /// Every option stands in the section of its command, and the global ones only once.
  @Test func everyOptionStandsInItsSection() throws {
    let home = try home()
    let text = try shown("tokenvault.1", home)
    let dump = try home.run("tokenvault --experimental-dump-help").output
    let root = try #require(
      (try JSONSerialization.jsonObject(with: Data(dump.utf8)) as? [String: Any])?["command"]
        as? [String: Any])
    #expect(text.components(separatedBy: "\n     -g, --group name").count == 2)
    #expect(text.contains("\n     -V, --version"))
    var count = 0
    for (path, options) in Self.options(root, path: "") {
      let rest = try #require(text.components(separatedBy: "\n   \(path)\n").dropFirst().first)
      let section = rest.split(separator: /\n   (?=[a-z])/, maxSplits: 1)[0]
      for option in options {
        count += 1
        #expect(section.contains(option), "\(path) \(option)")
      }
    }
    #expect(count > 60)
  }

  private func shown(_ page: String, _ home: ShellHome) throws -> String {
    let run = try home.run("mandoc -T ascii -O width=100 \(page) | sed 's/.\\x08//g' | expand")
    try #require(run.status == 0)
    return run.output
  }

  /// The options of each command by the names of the command.
  private static func options(
    _ command: [String: Any], path: String
  ) -> [(path: String, options: [String])] {
    let children = command["subcommands"] as? [[String: Any]] ?? []
    return children.flatMap { child -> [(path: String, options: [String])] in
      let name = child["commandName"] as? String ?? ""
      guard child["shouldDisplay"] as? Bool == true, name != "help" else { return [] }
      let own = path.isEmpty ? name : "\(path) \(name)"
      let options = (child["arguments"] as? [[String: Any]] ?? [])
        .filter { $0["sectionTitle"] == nil && $0["shouldDisplay"] as? Bool == true }
        .flatMap { $0["names"] as? [[String: Any]] ?? [] }
        .filter { $0["kind"] as? String == "long" && $0["name"] as? String != "help" }
        .map { "--\($0["name"] as? String ?? "")" }
      return [(own, options)] + Self.options(child, path: own)
    }
  }
}
