import Testing

/// The manual pages name everything that the code reads and prints. The commands and their options
/// are generated, so they cannot be missing.
@Suite(.timeLimit(.minutes(3)))
struct ManualTests {
  private static let testOnly = [
    "TokenVaultTestSupport", "TokenVaultIdentityProvider", "tokenvault-idp",
  ]

  private func sources() throws -> [SourceFile] {
    try Checkout.files(in: "Sources", endings: ["swift"])
      .filter { !Self.testOnly.contains($0.module) }
  }

  private func page(_ name: String) throws -> String {
    try Checkout.file("docs/manual/\(name)").text
  }

  /// The texts that the first group of a pattern captures outside comments, with a file of each.
  private func found(
    _ pattern: Regex<(Substring, Substring)>, in files: [SourceFile]
  ) -> [String: String] {
    var found: [String: String] = [:]
    for file in files {
      let code = file.lines.filter { !$0.text.drop { $0 == " " }.hasPrefix("//") }
        .map { String($0.text) }.joined(separator: "\n")
      for match in code.matches(of: pattern) { found[String(match.output.1)] = file.path }
    }
    return found
  }

  @Test func everyEnvironmentVariableStandsInTheManual() throws {
    let page = try page("tokenvault.1")
    let documented = Set(page.matches(of: /Ev ([A-Za-z_]+)/).map { String($0.output.1) })
    let read = found(
      /"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|HOME|PATH|TERM|BROWSER|DISPLAY)"/, in: try sources())
    #expect(read.count > 15 && read["TOKENVAULT_GROUP"] != nil)
    for (name, path) in read where !documented.contains(name) {
      Issue.record("docs/manual/tokenvault.1 lacks the variable \(name) of \(path)")
    }
    // curl reads the ones in lower case.
    for name in documented where read[name] == nil && name.uppercased() == name {
      Issue.record("docs/manual/tokenvault.1 has \(name), which nothing reads")
    }
  }

  @Test func everyExitStatusStandsInTheManual() throws {
    let file = try Checkout.file("Sources/TokenVaultCLI/Program/ExitStatus.swift")
    let codes = Set(found(/case \w+ = (\d+)/, in: [file]).keys)
    #expect(codes.count > 10)
    let section = try #require(
      try page("tokenvault.1").firstMatch(of: #/\.Sh EXIT STATUS\n([\s\S]*?)\n\.Sh /#)?.output.1)
    let documented = Set(section.matches(of: /\n\.It (\d+)/).map { String($0.output.1) })
    #expect(documented == codes)
    let guide = try Checkout.file("docs/command-line.md").text
    #expect(Set(guide.matches(of: #/\n\| (\d+) \| /#).map { String($0.output.1) }) == codes)
  }

  @Test func everyFieldOfAFileStandsInTheManual() throws {
    // A form on the screen has fields, too.
    let files = try sources().filter { !$0.path.contains("/FullScreen/") }
    let lists = found(/fields(?::| =) \[([^\]]*)\]/, in: files)
    var fields: [String: String] = [:]
    for (list, path) in lists {
      for match in list.matches(of: /"([^"]+)"/) { fields[String(match.output.1)] = path }
    }
    let configuration = try Checkout.file("Sources/TokenVault/Manifests/UserConfiguration.swift")
    fields.merge(found(/(?:member\.name == |case )"(\w+)"/, in: [configuration])) { first, _ in
      first
    }
    let provider = try Checkout.file(
      "Sources/TokenVaultSignIn/Providers/ProviderDescription+Parsing.swift")
    let members = try #require(provider.text.firstMatch(of: /members: Set = \[([^\]]*)\]/)).output.1
    for match in members.matches(of: /"(\w+)"/) { fields[String(match.output.1)] = provider.path }
    #expect(fields["tokensWithoutExpiry"] != nil)
    #expect(fields.count > 10 && fields["clientId"] != nil && fields["custody"] != nil)
    try requireDocumented(fields, "field")
  }

  @Test func everyKeyOfTheJSONOutputStandsInTheManual() throws {
    let files = try sources().filter { $0.module == "TokenVaultCLI" }
    let keys = found(/(?:field|key)\(\s*"(\w+)"/, in: files)
    #expect(keys.count > 60 && keys["isHomeTenantProfile"] != nil)
    try requireDocumented(keys, "key")
  }

  private func requireDocumented(_ names: [String: String], _ noun: String) throws {
    let page = try page("tokenvault-config.5")
    let documented = Set(page.matches(of: /Cm (\$?[A-Za-z-]+)/).map { String($0.output.1) })
    for (name, path) in names where !documented.contains(name) {
      Issue.record("docs/manual/tokenvault-config.5 lacks the \(noun) \(name) of \(path)")
    }
  }
}
