import Foundation
import Testing
import TokenVaultTestSupport

/// `tokenvault credential install`, `status` and `uninstall`.
@Suite(.timeLimit(.minutes(5)))
struct InstallationTests {
  private let home: ShellHome

  init() throws { home = try CommandLineFixtures().home(SharedSecretService.get()) }

  private func run(_ script: String) throws -> ShellHome.Run {
    try home.run("unset XDG_CONFIG_HOME; export PATH=\"$HOME/.local/bin:$PATH\"\n\(script)")
  }

  private static let dockerFiles = [
    "{}", "{\n\t\"auths\": {\n\t\t\"a\": {}\n\t},\n\t\"credsStore\": \"desktop\"\n}\n",
    "{\"credHelpers\":{\"gcr.io\":\"gcloud\"}}", "{\"a\": 1  , \"b\": 2}",
    "{ \"auths\": {}\n  , \"psFormat\": \"x\"\n}\n",
  ]

  @Test(arguments: dockerFiles)
  func anInstalledHelperIsUninstalledWithoutATrace(file: String) throws {
    let directory = home.directory.appending(path: ".docker")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try Data(file.utf8).write(to: directory.appending(path: "config.json"))
    let run = try run(
      """
      cp .docker/config.json before
      printf '[user]\\n\\tname = ada\\n' >.gitconfig; cp .gitconfig git-before
      tokenvault credential install git docker --host registry.example.com >/dev/null
      grep -c tokenvault .gitconfig .docker/config.json
      tokenvault credential status --no-header | grep '^git\\|^docker' | sort
      tokenvault credential uninstall git docker >/dev/null
      cmp before .docker/config.json && cmp git-before .gitconfig && ls -d .local/bin
      tokenvault credential status --no-header | grep '^git\\|^docker' | sort
      """)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") } == [
        ".gitconfig:1", ".docker/config.json:1", "docker active", "git active", "docker off",
        "git off",
      ])
  }

  @Test(arguments: [".gitconfig", "own"])
  func aFileThatTheInstallationMadeIsRemovedAgain(git: String) throws {
    let run = try run(
      """
      \(git == "own" ? "export GIT_CONFIG_GLOBAL=$HOME/own" : "")
      tokenvault credential install git docker >/dev/null
      ls -a \(git) .docker/config.json
      tokenvault credential uninstall git docker >/dev/null
      ls -d \(git) .docker .local/bin 2>/dev/null
      """)
    #expect(run.output == ".docker/config.json\n\(git)\n", "\(run.errors)")
  }

  @Test func anUninstallationThatWasKilledIsFinishedByTheNextOne() throws {
    let run = try run(
      """
      tokenvault credential install git >/dev/null
      strace -f -qq -o /dev/null -e trace=rmdir -e inject=rmdir:signal=SIGKILL:when=1 \
        tokenvault credential uninstall git >/dev/null
      ls -d .local/bin
      tokenvault credential uninstall git >/dev/null
      ls -d .local/bin 2>/dev/null
      """)
    #expect(run.output == ".local/bin\n", "\(run.errors)")
  }

  @Test func aDirectoryThatCannotBeRemovedIsReported() throws {
    let run = try run(
      """
      tokenvault credential install git >/dev/null
      strace -f -qq -o /dev/null -e trace=rmdir -e inject=rmdir:error=EIO:when=1 \
        tokenvault credential uninstall git >/dev/null 2>errors; echo $?; grep -c '/.local/bin' errors
      tokenvault credential uninstall git >/dev/null; echo $?
      ls -d .local/bin 2>/dev/null
      """)
    #expect(run.output == "74\n1\n0\n", "\(run.output) \(run.errors)")
  }

  @Test func aChangeByTheUserIsLeftAlone() throws {
    let run = try run(
      """
      tokenvault credential install docker >/dev/null
      printf '{"credsStore": "other"}' >.docker/config.json
      tokenvault credential status --no-header | grep '^docker'
      tokenvault credential uninstall docker >/dev/null; cat .docker/config.json
      """)
    #expect(run.output.contains("broken"))
    #expect(run.output.hasSuffix("\n{\"credsStore\": \"other\"}"), "\(run.output)")
  }

  @Test(arguments: ["[]", "{", "{\"credsStore\": 7}"])
  func aFileThatCannotBeChangedSafelyIsUnchanged(file: String) throws {
    let run = try run(
      """
      mkdir .docker; printf '\(file)' >.docker/config.json
      tokenvault credential install docker >/dev/null; echo $?; cat .docker/config.json
      """)
    #expect(run.output == "78\n\(file)")
    #expect(run.errors.contains("It is unchanged.\nnext: "), "\(run.errors)")
  }

  @Test func aDryRunShowsTheChangesAndMakesNone() throws {
    let run = try run("tokenvault credential install git docker --dry-run")
    #expect(run.output.split(separator: "\n").count == 4, "\(run.output)")
    #expect(run.output.contains("git   credential.helper = tokenvault\n"))
    #expect(run.output.contains(".docker/config.json: credsStore = \"tokenvault\"\n"))
    #expect(run.changes.isEmpty, "\(run.changes)")
  }

  @Test func theModeAndTheLinkOfAConfigurationFileStay() throws {
    let run = try run(
      """
      mkdir .docker dotfiles; echo '{}' >dotfiles/docker.json; chmod 640 dotfiles/docker.json
      ln -s ../dotfiles/docker.json .docker/config.json
      tokenvault credential install docker >/dev/null
      stat -c %a dotfiles/docker.json; readlink .docker/config.json; cat dotfiles/docker.json
      """)
    #expect(
      run.output == "640\n../dotfiles/docker.json\n{\"credsStore\": \"tokenvault\"}\n",
      "\(run.errors)")
  }

  @Test func anotherProgramOfTheNameIsNotReplaced() throws {
    let run = try run(
      """
      mkdir -p .local/other .local/bin; echo mine >.local/bin/git-credential-tokenvault
      tokenvault credential install git; echo $?; cat .local/bin/git-credential-tokenvault
      """)
    #expect(run.output.hasSuffix("mine\n"))
    #expect(!run.output.hasPrefix("0\n"))
  }

  @Test(arguments: [
    ("cargo", ".cargo/config.toml", "[net]\nretry = 2"), ("terraform", ".terraformrc", "# mine\n"),
    ("keyring", ".local/bin/keyring", nil), ("azure", ".local/bin/az", nil),
    ("azure-developer", ".local/bin/azd", nil),
  ])
  func eachToolIsInstalledAndUninstalledWithoutATrace(
    name: String, file: String, content: String?
  ) throws {
    if let content {
      let path = home.directory.appending(path: file)
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(content.utf8).write(to: path)
    }
    let run = try run(
      """
      unset CARGO_HOME; export PATH="$HOME/.local/bin:$(dirname "$(command -v tokenvault)"):/usr/bin:/bin"
      tokenvault credential install \(name) >/dev/null && tokenvault credential status --no-header |
        grep '^\(name) ' | tr -s ' '
      grep -c tokenvault \(file) || readlink \(file) | grep -c tokenvault
      tokenvault credential uninstall \(name) >/dev/null; cat \(file) 2>/dev/null
      find .local/bin .terraform.d -type l 2>/dev/null
      """)
    let left = content ?? ""
    #expect(run.output.hasPrefix("\(name) active\n"), "\(run.output) \(run.errors)")
    #expect(run.output.hasSuffix("\n\(left)") && !left.contains("tokenvault"), "\(run.output)")
  }

  @Test(arguments: ["[registry]\n", "[ registry ]\r\n", "registry.default = 'x'\n"])
  func aSectionOfTheUserIsLeftAlone(file: String) throws {
    let path = home.directory.appending(path: ".cargo/config.toml")
    try FileManager.default.createDirectory(
      at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(file.utf8).write(to: path)
    let run = try run(
      """
      unset CARGO_HOME; tokenvault credential install cargo >/dev/null; echo $?
      cat .cargo/config.toml
      """)
    #expect(run.output == "78\n\(file)")
    #expect(run.errors.contains("global-credential-providers"), "\(run.errors)")
  }

  @Test func linesThatTheUserAddedToTheSectionKeepIt() throws {
    let run = try run(
      """
      unset CARGO_HOME; tokenvault credential install cargo >/dev/null
      echo 'default = "corp"' >>.cargo/config.toml; cp .cargo/config.toml before
      tokenvault credential uninstall cargo | grep -c '^left'; cmp before .cargo/config.toml
      """)
    #expect(run.output == "1\n", "\(run.errors)")
  }

  @Test func aLinkToAMissingFileIsNotReplaced() throws {
    let run = try run(
      """
      mkdir .docker; ln -s /nowhere/config.json .docker/config.json
      tokenvault credential install docker >/dev/null; echo $?; readlink .docker/config.json
      tokenvault credential status --no-header | grep -c '^docker *broken'
      """)
    #expect(run.output == "74\n/nowhere/config.json\n1\n", "\(run.output) \(run.errors)")
  }

  @Test func gitFindsAHelperInADirectoryWithASpace() throws {
    let run = try run(
      """
      tokenvault credential install git --programs "$HOME/my tools" >/dev/null
      echo one | tokenvault add -q --service git.example.com --username ada >/dev/null
      printf 'protocol=https\\nhost=git.example.com\\n\\n' | git credential fill | tail -1
      """)
    #expect(run.output == "password=one\n", "\(run.errors)")
  }

  @Test func aNewInstallationReplacesTheLinkOfAFormerOne() throws {
    let run = try run(
      """
      tokenvault credential install git >/dev/null; link=.local/bin/git-credential-tokenvault
      sed -i "s,$(readlink $link),/former," .local/share/tokenvault/helpers.json
      ln -sf /former $link; tokenvault credential install git >/dev/null
      readlink -e $link >/dev/null; echo $?
      tokenvault credential uninstall git >/dev/null; ls .local/bin
      """)
    #expect(run.output == "0\n", "\(run.output) \(run.errors)")
  }

  @Test func aRealProgramIsHiddenOnlyIfTheUserSaysSo() throws {
    let run = try run(
      """
      mkdir other; printf '#!/bin/sh\n' >other/az; chmod +x other/az; PATH="$PATH:$HOME/other"
      tokenvault credential install azure >/dev/null; echo $?
      tokenvault credential install azure --force >/dev/null; echo $?
      """)
    #expect(run.output == "77\n0\n", "\(run.errors)")
    #expect(run.errors.contains("is another program named az"), "\(run.errors)")
  }
}
