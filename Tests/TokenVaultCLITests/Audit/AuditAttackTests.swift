import Foundation
import Testing
import TokenVaultTestSupport

@testable import TokenVaultCLI

/// `tokenvault audit` of files that somebody prepared, and beside programs that write.
@Suite(.timeLimit(.minutes(5)))
struct AuditAttackTests {
  private let home: ShellHome

  init() throws { home = try CommandLineFixtures().home(SharedSecretService.get()) }

  @discardableResult
  private func run(_ script: String) throws -> ShellHome.Run { try home.run(script) }

  /// A directory of a clone is a bare repository whose index git expands, for which it would fetch a
  /// tree with the program of the configuration.
  private static let hostileClone = """
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    git init -q src; mkdir -p src/keep src/sub; echo x >src/keep/a; echo x >src/sub/b; echo x >src/f
    git -C src add .; git -C src commit -qm c
    git clone -q src sparse; (cd sparse; git sparse-checkout init --cone --sparse-index; git sparse-checkout set keep)
    tree=$(git -C src rev-parse HEAD:sub)
    git init -q clone; cp -r sparse/.git clone/ev; cp -r sparse/keep clone/ev/
    rm -f "clone/ev/objects/$(printf %.2s "$tree")/${tree#??}"
    set_() { git config --file clone/ev/config "$@"; }
    set_ core.bare false; set_ core.worktree "$HOME/clone/ev"; set_ core.repositoryformatversion 1
    set_ extensions.partialClone origin; set_ remote.origin.promisor true
    set_ remote.origin.uploadpack "touch $HOME/ran; false"
    printf 'machine a login b password S3C1\\n' >clone/ev/.netrc
    """

  @Test func anAuditOfACloneRunsNoProgram() throws {
    let run = try run(
      """
      \(Self.hostileClone)
      tokenvault audit clone | grep -c 'in a git repository'; ls ran
      git -C clone/ev ls-files --error-unmatch -- .netrc >/dev/null 2>&1; ls ran
      """)
    // The second look shows that git alone is tricked.
    #expect(run.output == "1\nran\n", "\(run)")
  }

  /// A repository names a pipe as the file of ignored names.
  @Test func gitIsNotWaitedForWithoutEnd() throws {
    let run = try run(
      """
      mkdir r; cd r; git init -q; mkfifo pipe; git config core.excludesFile "$PWD/pipe"
      printf 'machine a login b password S3C1\\n' >.netrc
      timeout 60 tokenvault audit . | grep -c 'in a git repository'
      """)
    #expect(run.output == "1\n", "\(run)")
  }

  @Test func aDirectoryWhoseNameIsNotTextIsReported() throws {
    let run = try run(
      #"""
      d=$(printf 'd/a\377b'); mkdir -p "$d"; printf 'machine a login b password S3C1\n' >"$d/.netrc"
      tokenvault audit d; echo $?
      """#)
    #expect(run.output.contains("not read: its name is not UTF-8"), "\(run)")
    #expect(run.output.hasSuffix("\n74\n"))
  }

  @Test func aFileThatIsNotUnderstoodIsNotClean() throws {
    let run = try run(
      """
      mkdir .kube; printf 'users: {strange: S3C1}\\n' >.kube/config; tokenvault audit; echo $?
      """)
    #expect(run.output.contains("not read: it is in a form that is not understood, see its line 1"))
    #expect(run.output.hasSuffix("\n74\n"), "\(run)")
  }

  private static let cache = """
    mkdir .azure; cp one.json .azure/msal_token_cache.json

    """

  @Test func aNewerTokenOfTheVaultDoesNotVouchForAnOlderOne() throws {
    let run = try run(
      """
      \(Self.cache)
      tokenvault import -q one.json >/dev/null
      sed -i -E 's/"(cached_at|last_modification_time)":"[0-9]*"/"\\1":"1600000000"/g;
        s/"at-ada"/"S3Cat"/; s/"rt-ada"/"S3Crt"/' .azure/msal_token_cache.json
      tokenvault audit --import 2>/dev/null | grep -o 'has a newer one'
      tokenvault audit --remove --yes 2>/dev/null | grep -o 'not removed: .*'
      grep -c S3Crt .azure/msal_token_cache.json
      """)
    #expect(
      run.output == """
        has a newer one
        not removed: the vault has a newer token than this file
        1

        """, "\(run)")
  }

  /// Another program holds the lock of MSAL's extensions.
  @Test func aLockedCacheStays() throws {
    let run = try run(
      """
      \(Self.cache)
      tokenvault audit --import >/dev/null 2>&1
      sleep 300 >/dev/null 2>&1 & pid=$!
      printf %s $pid >.azure/msal_token_cache.json.lockfile
      tokenvault audit --remove --yes 2>/dev/null | grep -o 'not removed: another.*'; kill $pid
      cmp one.json .azure/msal_token_cache.json && rm .azure/*.lockfile
      tokenvault audit --remove --yes 2>/dev/null | grep -c 'No secret is in plaintext'; ls .azure
      """)
    #expect(
      run.output == """
        not removed: another program holds the lock of the file
        1
        msal_token_cache.json

        """, "\(run)")
  }

  /// Neither a directory's group nor its default list of readers is given to the new file.
  @Test func aRemovalGivesNobodyAccess() throws {
    let run = try run(
      """
      mkdir d; printf 'machine x.example login ada password S3C1\\n# more\\n' >d/netrc
      chmod 640 d/netrc; ln -s d/netrc .netrc
      python3 - <<'END'
      import os, struct
      entries = [(1, 7, 2**32 - 1), (2, 7, 1234), (4, 5, 2**32 - 1), (16, 7, 2**32 - 1), (32, 0, 2**32 - 1)]
      value = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
      os.setxattr("d", "system.posix_acl_default", value)
      # A user who is not root can give a directory only a group of its own.
      others = [1234] if os.geteuid() == 0 else [g for g in os.getgroups() if g != os.getegid()]
      if others: os.chown("d", -1, others[0])
      os.chmod("d", 0o2755)
      END
      before=$(stat -c '%a %u %g' d/netrc)
      tokenvault audit --import >/dev/null 2>&1; tokenvault audit --remove --yes >/dev/null 2>&1
      [ "$before" = "$(stat -c '%a %u %g' d/netrc)" ] && cat d/netrc
      python3 -c 'import os; print(os.listxattr("d/netrc"))'
      """)
    #expect(run.output == "# more\n[]\n", "\(run)")
  }

  // MARK: Interruptions

  @Test func whatAnInterruptedRemovalLeftIsFoundAndKept() throws {
    let run = try run(
      """
      printf 'machine x.example login ada password S3C1\\n' >.netrc; cp .netrc .netrc.tokenvault-new
      tokenvault audit | grep -c 'a copy of'
      tokenvault audit --import >/dev/null 2>&1
      tokenvault audit --remove --yes 2>/dev/null | grep -c 'not removed: an interrupted removal'
      ls .netrc.tokenvault-new
      """)
    #expect(run.output == "1\n1\n.netrc.tokenvault-new\n", "\(run)")
  }

  // MARK: A program that writes during the exchange

  /// The file, what was to be written, and the former file under its other name.
  private func exchanged(_ former: String) throws -> (FileReplacement, FileState, String) {
    let path = home.directory.appending(path: "replaced").path
    let draft = path + ".tokenvault-new"
    try Data(former.utf8).write(to: URL(filePath: draft))
    try Data("ours\n".utf8).write(to: URL(filePath: path))
    let replacement = FileReplacement(path: path, state: try #require(FileState(of: draft)))
    return (replacement, try #require(FileState(of: path)), draft)
  }

  private func content(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func theFormerFileComesBack() throws {
    let (replacement, own, draft) = try exchanged("former\n")
    #expect(replacement.restore(from: draft, own) == nil)
    #expect(try content(replacement.path) == "former\n")
    #expect(FileState(of: draft) == nil)
  }

  @Test func theFileOfAnotherProgramStays() throws {
    let (replacement, own, draft) = try exchanged("former\n")
    // As gh and npm write: a new file gets the name.
    let fresh = replacement.path + ".fresh"
    try Data("fresh\n".utf8).write(to: URL(filePath: fresh))
    #expect(unsafe rename(fresh, replacement.path) == 0)
    #expect(replacement.restore(from: draft, own) == nil)
    #expect(try content(replacement.path) == "fresh\n")
    #expect(FileState(of: draft) == nil)
  }

  @Test func aFileOfAnotherProgramUnderBothNamesIsNamed() throws {
    let (replacement, own, draft) = try exchanged("former\n")
    try Data("written in place, longer\n".utf8).write(to: URL(filePath: draft))
    try Data("fresh, longer\n".utf8).write(to: URL(filePath: replacement.path))
    let left = replacement.restore(from: draft, own)
    #expect(left?.text.hasSuffix("its former content is in \(draft)") == true)
    #expect(try content(replacement.path) == "fresh, longer\n")
    #expect(try content(draft) == "written in place, longer\n")
  }
}
