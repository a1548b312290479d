import Foundation
import Testing
import TokenVaultTestSupport

/// The front prints a stored token itself, and is otherwise the full program.
@Suite(.timeLimit(.minutes(5))) struct FrontTests {
  private let machine: Machine
  private let installation: Installation

  init() throws {
    machine = try Machine()
    installation = try Installation(in: machine.session.directory)
    let cache = machine.home.appending(path: "cache.json")
    try Person.cache(.ada, .bob).write(to: cache, atomically: true, encoding: .utf8)
    try machine.succeed("import", cache.path)
    try FileManager.default.removeItem(at: cache)
  }

  private func front(
    _ arguments: [String], environment: [String: String?] = [:], directory: URL? = nil
  ) throws -> RunResult {
    try machine.run(
      [installation.program.path] + arguments, environment: environment, directory: directory)
  }

  private func removeFullProgram() throws {
    try FileManager.default.removeItem(at: installation.full)
  }

  @Test func theFrontAnswersAsTheFullProgramDoes() throws {
    let ada = ["token", "--account", Person.ada.username]
    let calls: [([String], [String: String?])] = [
      (ada, [:]), (ada + ["--scope", "User.Read", "--min-validity", "5m", "--no-input"], [:]),
      (ada + ["--min-validity", "soon"], [:]), (ada + ["--scope", "Mail.Send"], [:]),
      (ada + ["--json"], [:]), (ada + ["--unknown"], [:]), (ada + ["--scope"], [:]),
      (ada + ["--resource", "https://graph.microsoft.com", "--scope", "User.Read"], [:]),
      (ada + ["--group", "not a group"], [:]), (ada + ["--group", "no.such.group"], [:]),
      (ada + ["--vault-dir", "elsewhere"], [:]), (ada, ["TOKENVAULT_HOME": "relative"]),
      (ada, ["TOKENVAULT_GROUP": "not a group"]), (ada, ["HOME": nil, "XDG_DATA_HOME": nil]),
      (["token"], [:]), (["token"], ["TOKENVAULT_ACCOUNT": Person.bob.username]),
      (["token", "--account", "nobody"], [:]), (["token", "--help"], [:]), (["list"], [:]),
      (["--version"], [:]), ([], [:]), (["prompt"], [:]), (["tokens"], [:]),
    ]
    for (arguments, environment) in calls {
      let seen = try front(arguments, environment: environment)
      let expected = try machine.run(
        [installation.full.path] + arguments, environment: environment)
      #expect(seen.status == expected.status, "\(arguments) \(environment)")
      #expect(seen.output == expected.output, "\(arguments) \(environment)")
      #expect(seen.errors == expected.errors, "\(arguments) \(environment)")
    }
  }

  /// Without the full program, only the front can have printed the token.
  @Test func theFrontPrintsAStoredTokenByItself() throws {
    let project = machine.home.appending(path: "project")
    try FileManager.default.createDirectory(at: project, withIntermediateDirectories: false)
    let rule = try machine.run(
      [installation.full.path, "switch", "--here", Person.bob.username], directory: project)
    #expect(rule.status == 0, "\(rule.errors)")
    try removeFullProgram()
    for options in [
      ["--account", Person.ada.username],
      ["--account", Person.ada.username, "--scope", "User.Read"],
    ] {
      let ran = try front(["token"] + options)
      #expect(ran.status == 0 && ran.output == Person.ada.access + "\n", "\(ran.errors)")
    }
    let byVariable = try front(["token"], environment: ["TOKENVAULT_ACCOUNT": "ada"])
    #expect(byVariable.output == Person.ada.access + "\n", "\(byVariable.errors)")
    let byRule = try front(["token"], directory: project)
    #expect(byRule.output == Person.bob.access + "\n", "\(byRule.errors)")
    let full = try machine.shell(
      "exec '\(installation.program.path)' token --account ada >/dev/full")
    #expect(
      full.status == 74
        && full.errors
          == "tokenvault: Cannot write to standard output: No space left on device. "
          + "Stored accounts are not affected.\n"
          + "next: run the command again with its output to another place\n",
      "\(full.errors)")
  }

  @Test func anythingElseNeedsTheFullProgramAndTheErrorNamesIt() throws {
    try removeFullProgram()
    for arguments in [
      ["list"], [], ["token", "--account", "ada", "--json"], ["token", "--account", "nobody"],
    ] {
      let ran = try front(arguments)
      #expect(ran.status == 1 && ran.output.isEmpty, "\(arguments)")
      #expect(
        ran.errors
          == "tokenvault: \(installation.full.path) cannot be run: No such file or directory. "
          + "Nothing was changed.\nnext: install TokenVault again\n", "\(arguments)")
    }
  }

  /// Without its beginning, the path of the full program would be one of the working directory.
  @Test func aFrontInTheRootDirectoryRunsNoProgramOfTheWorkingDirectory() throws {
    let ran = try machine.runMounting(
      """
      set -e
      root=$HOME/root
      mkdir "$root"
      mount -t tmpfs tmpfs "$root"
      for entry in /*; do
        if test -L "$entry"; then
          cp -P "$entry" "$root"
        elif test -d "$entry"; then
          mkdir "$root$entry"
          mount --rbind "$entry" "$root$entry"
        fi
      done
      cp '\(installation.program.path)' "$root/tokenvault"
      work=$(mktemp -d -p "$HOME")
      mkdir -p "$work/libexec/tokenvault"
      printf '#!/bin/sh\\necho foreign\\n' >"$work/libexec/tokenvault/tokenvault"
      chmod +x "$work/libexec/tokenvault/tokenvault"
      exec chroot "$root" /bin/sh -c 'cd "$0" && exec /tokenvault list' "$work"
      """)
    #expect(ran.status == 1 && ran.output.isEmpty, "\(ran.output)")
    #expect(ran.errors.contains("names no directory of the full program"), "\(ran.errors)")
  }

  @Test func anAccountThatARuleDeniesIsNotPrintedByTheFront() throws {
    let rule = try machine.run(
      [
        installation.full.path, "rule", "add", Person.ada.username, "--directory",
        machine.home.path, "--deny",
      ])
    #expect(rule.status == 0, "\(rule.errors)")
    let denied = try front(["token"], environment: ["TOKENVAULT_ACCOUNT": Person.ada.username])
    let expected = try machine.run(
      [installation.full.path, "token"],
      environment: ["TOKENVAULT_ACCOUNT": Person.ada.username])
    #expect(denied.status == expected.status && denied.status != 0, "\(denied.output)")
    #expect(denied.output.isEmpty && denied.errors == expected.errors)
  }

  /// Swift would replace the byte, and the text would name another account.
  @Test func anArgumentThatIsNotTextIsLeftToTheFullProgram() throws {
    let ran = try machine.shell(
      "exec '\(installation.program.path)' token --account \"$(printf 'ada\\377')\"")
    #expect(ran.status == 64 && ran.errors.contains("is not UTF-8 text"), "\(ran.errors)")
    let variable = try machine.shell(
      "export TOKENVAULT_ACCOUNT=\"$(printf 'ada\\377')\"; exec '\(installation.program.path)' token"
    )
    #expect(variable.status == 64 && variable.errors.contains("is not UTF-8 text"))
  }

  @Test func underTheNameOfAHelperTheFrontIsThatHelper() throws {
    let helper = installation.program.deletingLastPathComponent()
      .appending(path: "docker-credential-tokenvault")
    try FileManager.default.createSymbolicLink(
      at: helper, withDestinationURL: installation.program)
    let ran = try machine.run([helper.path, "list"])
    #expect(ran.status == 0 && ran.output.hasPrefix("{"), "\(ran.errors)")
  }

  /// A link to the full program would outlast the layout of an installation.
  @Test func aToolIsSetUpToStartTheFront() throws {
    let ran = try front(["credential", "install", "git"])
    #expect(ran.status == 0, "\(ran.errors)")
    let links = try FileManager.default.subpathsOfDirectory(atPath: machine.home.path)
      .filter { $0.hasSuffix("/git-credential-tokenvault") }
      .map { machine.home.appending(path: $0).path }
    let target = try FileManager.default.destinationOfSymbolicLink(
      atPath: try #require(links.first))
    #expect(target == installation.program.path)
  }

  /// While the front waits for the keyring, no other process of the user can read its memory.
  @Test func theFrontCannotBeRead() throws {
    // Otherwise the full program would replace it, and protect itself.
    try removeFullProgram()
    try machine.session.freezeDaemon()
    let ran = try machine.shell(
      """
      # The administrator's capabilities would open everything.
      bare() { exec "$@"; }
      if test "$(id -u)" = 0; then
        bare() { exec setpriv --bounding-set=-all --inh-caps=-all -- "$@"; }
      fi
      (bare sh -c '
        "$0" token --account ada 2>/dev/null & pid=$!
        while grep -q "State:[[:space:]]*[^ZX]" /proc/$pid/status 2>/dev/null; do
          if ! dd if=/proc/$pid/environ of=/dev/null count=0 2>/dev/null &&
            grep -q "State:[[:space:]]*[^ZX]" /proc/$pid/status; then
            echo unreadable
            kill -KILL $pid
            break
          fi
        done' '\(installation.program.path)')
      """)
    try machine.session.thawDaemon()
    #expect(ran.output == "unreadable\n", "\(ran.errors)")
  }

  @Test func closedStandardStreamsReceiveNoToken() throws {
    let ran = try machine.shell("'\(installation.program.path)' token --account ada >&-; echo $?")
    #expect(ran.output == "74\n", "\(ran.errors)")
    let file = try Data(contentsOf: URL(filePath: machine.file))
    #expect(!file.contains(Data(Person.ada.access.utf8)))
  }
}

extension Data {
  fileprivate func contains(_ other: Data) -> Bool { range(of: other) != nil }
}
