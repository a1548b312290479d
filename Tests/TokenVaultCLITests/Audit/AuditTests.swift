import Foundation
import Testing
import TokenVaultTestSupport

@testable import TokenVaultCLI

/// `tokenvault audit` in a home with the files of other tools. Each secret begins with S3C.
@Suite(.timeLimit(.minutes(5)))
struct AuditTests {
  private let home: ShellHome

  init() throws { home = try CommandLineFixtures().home(SharedSecretService.get()) }

  @discardableResult
  private func run(_ script: String) throws -> ShellHome.Run { try home.run(script) }

  /// Files of each tool that the audit can bring into the vault.
  private static let files = #"""
    mkdir -p .azure .config/gh .docker .kube .aws .cargo .config/pip .config/gcloud .terraform.d
    cp one.json .azure/msal_token_cache.json
    sed -i 's/"secret": *"/&S3C-/g' .azure/msal_token_cache.json
    printf 'https://ada:S3Cgit@git.example.com\n' >.git-credentials
    printf 'machine a.example login ada password S3Cnetrc\n' >.netrc
    printf 'github.com:\n    user: ada\n    oauth_token: S3Cgh\n' >.config/gh/hosts.yml
    printf '{"auths": {"r.example": {"auth": "%s"}}}' "$(printf ada:S3Cdocker | base64)" \
      >.docker/config.json
    printf '//n.example/:_authToken=S3Cnpm\n' >.npmrc
    printf 'clusters:\n- cluster:\n    server: https://k.example\n  name: c\ncontexts:\n- context:\n    cluster: c\n    user: u\n  name: c\ncurrent-context: c\nkind: Config\nusers:\n- name: u\n  user:\n    token: S3Ckube\n' \
      >.kube/config
    printf '[default]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = S3Caws\n' \
      >.aws/credentials
    printf '[registry]\ntoken = "S3Ccargo"\n' >.cargo/credentials.toml
    printf '[global]\nindex-url = https://ada:S3Cpip@p.example/simple\n' >.config/pip/pip.conf
    printf '[pypi]\nusername = __token__\npassword = S3Cpypi\n' >.pypirc
    printf '{"credentials": {"t.example": {"token": "S3Ctf"}}}' >.terraform.d/credentials.tfrc.json
    """#

  @Test func everyFileIsFoundImportedAndRemoved() throws {
    let found = try run("\(Self.files)\ntokenvault audit; echo $?; tokenvault audit --json")
    #expect(found.output.contains("\n12 secrets in plaintext in 12 files.\n1\n"), "\(found)")
    let stored = try run("tokenvault audit --import --json -q; echo $?")
    #expect(stored.output.components(separatedBy: #""import":"stored""#).count == 13)
    let removed = try run(
      """
      tokenvault audit --remove --yes 2>&1; echo $?; tokenvault audit --json
      grep -rc S3C .azure .git-credentials .netrc .config .docker .npmrc .kube .aws .cargo .pypirc \
        .terraform.d | grep -v :0
      """)
    #expect(removed.output.contains("\nnext: tokenvault credential install docker\n"))
    #expect(removed.output.contains("No secret is in plaintext"), "\(removed)")
    #expect(removed.output.contains(#""findings":[]"#))
    for run in [found, stored, removed] {
      #expect(!(run.output + run.errors).contains("S3C"))
    }
    #expect(try run("tokenvault token --service a.example").output == "S3Cnetrc\n")
    let group = "com.microsoft.identity.universalstorage"
    #expect(try run("tokenvault token -g \(group) --account ada").output.hasPrefix("S3C-"))
  }

  /// Real programs read the same from a file after its secret was removed.
  @Test func realProgramsReadTheRest() throws {
    let run = try run(
      """
      \(Self.files)
      printf 'https://bob:keep@h.example\\n' >>.git-credentials
      sed -i 's/https:..ada:S3Cgit/https:\\/\\/ada:S3Cgit/' .git-credentials
      tokenvault audit --import >/dev/null 2>&1
      git_get() { printf 'protocol=https\\nhost=%s\\n\\n' "$1" | git credential-store get | wc -l; }
      before=$(git_get git.example.com)
      tokenvault audit --remove --yes >/dev/null 2>&1
      echo "git $before $(git_get git.example.com)"
      kubectl --kubeconfig .kube/config config view -o jsonpath='{.clusters[0].cluster.server} {.users[0].user}'
      echo
      python3 - <<'END'
      import configparser, json, netrc, os
      home = os.environ["HOME"]
      print(netrc.netrc(home + "/.netrc").hosts)
      parser = configparser.ConfigParser()
      parser.read([home + "/.pypirc", home + "/.aws/credentials", home + "/.config/pip/pip.conf"])
      print({name: dict(parser[name]) for name in parser.sections()})
      print(json.load(open(home + "/.docker/config.json")))
      END
      """)
    #expect(
      run.output == """
        git 2 0
        https://k.example {}
        {}
        {'pypi': {'username': '__token__'}, 'default': {}, 'global': {'index-url': \
        'https://ada@p.example/simple'}}
        {'auths': {'r.example': {}}}

        """, "\(run.errors)")
  }

  @Test func filesThatCannotBeReadAreReported() throws {
    let run = try run(
      """
      mkdir -p .docker .config/gh .config/pip
      mkfifo .netrc; ln -s /dev/zero .npmrc; truncate -s 20M .pypirc; ln -s loop loop
      ln -s "$HOME/loop" .git-credentials
      tokenvault audit; echo $?
      """)
    for line in [
      ".netrc\n  not read: it is not a regular file\n",
      ".npmrc\n  not read: it is not a regular file\n",
      ".pypirc\n  not read: it is larger than 16 MiB\n", ".git-credentials\n  not read: ",
    ] {
      #expect(run.output.contains(line), "\(run)")
    }
    #expect(run.output.hasSuffix("\n74\n"))
  }

  @Test func hostileNamesAreEscaped() throws {
    let run = try run(
      #"""
      d=$(printf 'd/a\033[31mb\nc'); mkdir -p "$d"
      printf 'machine x\033]0;t\007 login ada\033[1m password S3C1\n' >"$d/.netrc"
      tokenvault audit d; tokenvault audit d --json
      """#)
    #expect(run.output.contains(#"/d/a\x1b[31mb\x0ac/.netrc"#), "\(run)")
    #expect(run.output.contains(#"machine x\x1b]0;t\x07"#))
    #expect(!(run.output + run.errors).contains("\u{1b}"))
    #expect(!(run.output + run.errors).contains("S3C1"))
  }

  @Test func gitAndBackupsAreNamed() throws {
    let run = try run(
      """
      mkdir -p r .cache/restic; cd r; git init -q
      for f in .netrc .npmrc .pypirc; do printf 'machine a login b password S3C1\\n' >$f; done
      printf '//n/:_authToken=S3C\\n' >.npmrc; printf '[x]\\npassword=S3C\\n' >.pypirc
      git add .netrc; echo .pypirc >.gitignore
      cp .netrc .netrc.bak; git config core.fsmonitor "touch $HOME/ran; false"
      tokenvault audit . | grep -E '^/|changed'; ls "$HOME/ran"
      """)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 8, "\(run)")
    for (name, state) in [
      ("/.netrc ", "tracked by git"), ("/.npmrc ", "in a git repository, not ignored"),
      ("/.pypirc ", "in a git repository, ignored"), ("/.netrc.bak ", "a copy of "),
    ] {
      let place = lines.firstIndex { $0.contains(name) }
      #expect(place.map { lines[$0 + 1].contains(state) } == true, "\(name) \(run.output)")
    }
    #expect(lines.filter { $0.hasSuffix("perhaps in backups of restic") }.count == 4)
    #expect(
      try self.run("touch .cache/CACHEDIR.TAG CACHEDIR.TAG; tokenvault audit r | grep -c restic")
        .output == "0\n")
  }

  @Test func aRemovalKeepsEverythingElse() throws {
    let run = try run(
      """
      mkdir dots; printf '# a\\r\\nmachine x.example login ada password S3C1\\n\\n' >dots/netrc
      chmod 640 dots/netrc; ln -s dots/netrc .netrc
      python3 -c 'import os; os.setxattr("dots/netrc", "user.note", b"kept")'
      tokenvault audit --import >/dev/null 2>&1; tokenvault audit --remove --yes >/dev/null 2>&1
      readlink .netrc; stat -c %a dots/netrc; od -An -c dots/netrc; ls dots
      python3 -c 'import os; print(os.getxattr("dots/netrc", "user.note"))'
      """)
    #expect(
      run.output == "dots/netrc\n640\n   #       a  \\r  \\n  \\n\nnetrc\nb'kept'\n", "\(run)")
  }

  @Test func aFailedWriteLeavesTheFile() throws {
    let run = try run(
      """
      printf 'machine x.example login ada password S3C1\\n' >.netrc
      yes '# a long comment' | head -5000 >>.netrc; cp .netrc former
      tokenvault audit --import >/dev/null 2>&1
      (trap '' XFSZ; ulimit -f 100; tokenvault audit --remove --yes 2>&1 | grep 'not removed'; true)
      cmp .netrc former && ls .netrc*
      """)
    #expect(run.output.contains("not removed: it cannot be written: File too large"), "\(run)")
    // The vault's own files are smaller than the limit.
    #expect(run.output.hasSuffix("\n.netrc\n"))
  }

  @Test func aFileWithTwoNamesStays() throws {
    let run = try run(
      """
      printf 'machine x.example login ada password S3C1\\n' >.netrc; ln .netrc other
      tokenvault audit --import >/dev/null 2>&1
      tokenvault audit --remove --yes 2>/dev/null | grep -o 'not removed: .*'; grep -c S3C1 other
      """)
    #expect(run.output == "not removed: the file has several names (hard links)\n1\n", "\(run)")
  }

  @Test func anotherSecretOfTheVaultStays() throws {
    let run = try run(
      """
      echo vaulted | tokenvault add -q --service x.example --username ada >/dev/null
      printf 'machine x.example login ada password S3C1\\n' >.netrc
      tokenvault audit --import >/dev/null 2>&1; echo $?
      tokenvault audit --remove --yes 2>/dev/null | grep -c 'not in the vault'
      tokenvault token --service x.example
      """)
    #expect(run.output == "1\n1\nvaulted\n", "\(run)")
  }

  @Test func aVariableThatMovesAFileCounts() throws {
    let run = try run(
      """
      mkdir -p d a; printf '{"auths": {"h": {"auth": "YTpi"}}}' >d/config.json
      printf '[p]\\naws_access_key_id=A\\naws_secret_access_key=S3C\\n' >a/keys
      printf '//n/:_authToken=S3C\\n' >npm; printf 'machine m login l password p\\n' >rc
      DOCKER_CONFIG=$HOME/d AWS_SHARED_CREDENTIALS_FILE=$HOME/a/keys NPM_CONFIG_USERCONFIG=npm \
        NETRC=$HOME/rc tokenvault audit | grep -c '^/'
      """)
    #expect(run.output == "4\n", "\(run)")
  }

  // MARK: The replacement of a file

  private func file(_ text: String) throws -> FileReplacement {
    let url = home.directory.appending(path: "replaced")
    try Data(text.utf8).write(to: url)
    return FileReplacement(path: url.path, state: try #require(FileState(of: url.path)))
  }

  @Test func aFileThatChangedIsNotTouched() throws {
    let replacement = try file("one\n")
    try Data("two, longer\n".utf8).write(to: URL(filePath: replacement.path))
    #expect(throws: FileReplacement.Obstacle.self) { try replacement.write(Array("new".utf8)) }
    #expect(try String(contentsOfFile: replacement.path, encoding: .utf8) == "two, longer\n")
  }

  @Test func aFileOfAnotherUserStays() throws {
    let path = try file("one\n").path
    var status = stat()
    #expect(unsafe stat(path, &status) == 0)
    status.st_uid += 1
    let replacement = FileReplacement(path: path, state: FileState(status))
    #expect(throws: FileReplacement.Obstacle.self) { try replacement.write(Array("new".utf8)) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\n")
  }
}
