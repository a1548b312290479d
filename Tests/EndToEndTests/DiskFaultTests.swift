import Foundation
import Testing
import TokenVaultTestSupport

/// A disk that fails, a power cut, and a process that is killed while it writes a file for the user.
@Suite(.timeLimit(.minutes(10))) struct DiskFaultTests {
  private func machineOfOne() throws -> Machine {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada))
    return machine
  }

  /// Runs `tokenvault` and injects a fault into its system calls.
  private func inject(
    _ machine: Machine, _ calls: String, _ fault: String, path: String? = nil, _ command: String
  ) throws -> RunResult {
    let filter = path.map { "-P '\($0)' " } ?? ""
    return try machine.shell(
      "exec strace -f -qq -o /dev/null \(filter)-e 'trace=\(calls)' -e 'inject=\(calls):\(fault)' "
        + "\"$T\" \(command)")
  }

  @Test func aDiskThatCannotReadIsNotReportedAsDamageAndLeadsToNoDeletion() throws {
    let machine = try machineOfOne()
    // Without a log, every page is read from the file.
    let before = try machine.image()
    for command in ["list", "token", "group verify", "sign-out --all --yes", "group rekey"] {
      for count in 1...4 {
        let ran = try inject(
          machine, "/^pread", "error=EIO:when=\(count)+", path: machine.file, command)
        // The first pages are enough for some commands.
        guard ran.status != 0 else { break }
        #expect(ran.status == 74, "\(command), \(count): \(ran.errors)")
        #expect(ran.errors.contains("The disk cannot read the file"), "\(ran.errors)")
        for word in ["damaged", "delete", "restore"] {
          #expect(!ran.errors.contains(word), "\(command), \(count): \(ran.errors)")
        }
        #expect(try machine.image()[machine.fileName] == before[machine.fileName])
      }
    }
    // One read of the check of the whole file.
    for count in 1...25 {
      let ran = try inject(
        machine, "/^pread", "error=EIO:when=\(count)", path: machine.file, "group verify")
      #expect([0, 74].contains(ran.status), "\(count): \(ran.output) \(ran.errors)")
    }
    #expect(try machine.usernames() == [Person.ada.username])
  }

  /// A configuration of another program need not be in the file system of the home directory.
  @Test(arguments: [
    ("cargo", "export CARGO_HOME=$PWD/other/cargo"),
    ("docker", "export DOCKER_CONFIG=$PWD/other/docker"),
    ("git", "export GIT_CONFIG_GLOBAL=$PWD/other/gitconfig"),
    ("git", "unset GIT_CONFIG_GLOBAL; touch other/file; ln -s $PWD/other/file .gitconfig"),
  ])
  func aHelpersConfigurationIsSyncedWhereItIs(helper: String, setting: String) throws {
    let machine = try Machine()
    let ran = try machine.runMounting(
      """
      mkdir other && mount -t tmpfs none other || exit 1
      \(setting)
      for action in install uninstall; do
        strace -f -qq -y -o calls -e trace=syncfs "$T" credential $action \(helper) >/dev/null || exit 2
        grep -c "syncfs([0-9]*<$PWD/other" calls
      done
      """, environment: ["T": try built("tokenvault")])
    #expect(ran.output == "1\n1\n", "\(ran.errors)")
  }

  @Test(arguments: ["fdatasync", "fsync"])
  func aSyncThatASignalInterruptsIsRepeated(call: String) throws {
    let machine = try Machine()
    try machine.write(Person.cache(.ada), to: "cache.json")
    for command in ["import cache.json", "export --output out.json", "group rekey"] {
      // Each second call, so that the repeated one succeeds.
      let ran = try inject(machine, call, "error=EINTR:when=1+2", command)
      #expect(ran.status == 0, "\(command): \(ran.errors)")
    }
    #expect(try machine.token(Person.ada.username) == Person.ada.access + "\n")
  }

  /// The calls of a command, one a line, with the paths of their descriptors.
  private func calls(_ machine: Machine, _ command: String) throws -> [Substring] {
    let log = machine.session.directory.appending(path: "log").path
    let ran = try machine.shell(
      "exec strace -f -qq -y -o \(log) -e '"
        + "trace=/^(mkdir|rename|link|f(data)?sync)' \"$T\" \(command)")
    #expect(ran.status == 0, "\(command): \(ran.errors)")
    return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
  }

  private func isSynced(_ path: String, in calls: ArraySlice<Substring>) -> Bool {
    calls.contains { $0.contains("fsync(") && $0.contains("<\(path)>") && $0.contains(" = 0") }
  }

  /// After a power cut, a directory without a synced name in its parent is gone with all files.
  @Test func everyDirectoryOfANewVaultIsSyncedInItsParent() throws {
    let machine = try Machine()
    try machine.write(Person.cache(.ada), to: "cache.json")
    let calls = try calls(machine, "import cache.json")
    var made: [String] = []
    for (index, call) in calls.enumerated() where call.contains("mkdir") && call.hasSuffix("= 0") {
      let path = String(try #require(call.split(separator: "\"").dropFirst().first))
      made.append(path)
      let parent = URL(filePath: path).deletingLastPathComponent().path
      #expect(isSynced(parent, in: calls[index...]), "\(path)")
    }
    #expect(made.contains(machine.vault.path) && made.count > 3, "\(made)")
  }

  @Test(arguments: [
    "export --output FILE", "export --output FILE --force", "group backup \(Machine.group) FILE",
  ])
  func aFileForTheUserIsSyncedWithItsName(command: String) throws {
    let machine = try machineOfOne()
    let file = machine.home.appending(path: "copy").path
    if command.contains("--force") { try machine.write("older", to: "copy") }
    let calls = try calls(machine, command.replacing("FILE", with: file))
    let named = try #require(
      calls.lastIndex { ($0.contains("link") || $0.contains("rename")) && $0.contains("copy\"") })
    #expect(isSynced(machine.home.path, in: calls[named...]))
    #expect(calls[..<named].contains { $0.contains("sync(") && $0.contains(machine.home.path) })
  }

  @Test func aBackupHasItsNameOnlyWhenItIsComplete() throws {
    let machine = try machineOfOne()
    let path = machine.home.appending(path: "copy").path
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: machine.home.path)
        .filter { $0.hasPrefix("copy") }
    }
    var kills = 0
    for call in ["/^pwrite", "/^f(data)?sync", "/^rename"] {
      for count in 1...200 {
        let ran = try inject(
          machine, call, "signal=SIGKILL:when=\(count)", "group backup \(Machine.group) \(path)")
        guard ran.wasKilled || ran.status == 137 else {
          #expect(ran.status == 0, "\(ran.errors)")
          break
        }
        kills += 1
        // The name is taken after the last of these calls but the sync of the directory.
        guard FileManager.default.fileExists(atPath: path) else { continue }
        try machine.succeed("group", "restore", Machine.group, path, "--as", "com.example.copy")
        try machine.succeed("group", "delete", "com.example.copy", "--yes")
        try FileManager.default.removeItem(atPath: path)
      }
      // The one that ran to its end removed what the killed ones left.
      #expect(try names() == ["copy"])
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(kills > 8)
    // It does not replace a file, and leaves none beside it.
    try machine.write("mine", to: "copy")
    let ran = try machine.vault("group", "backup", Machine.group, path)
    #expect(ran.status == 73, "\(ran.errors)")
    #expect(try names() == ["copy"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }

  /// The draft of an export has the tokens in plaintext.
  @Test func theDraftOfAKilledExportIsRemovedByTheNext() throws {
    let machine = try machineOfOne()
    let path = try machine.write("older", to: "out.json")
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: machine.home.path)
        .filter { $0.hasPrefix("out.json") }.sorted()
    }
    let command = "export --force --output \(path)"
    let ran = try inject(machine, "/^rename", "signal=SIGKILL:when=1", command)
    #expect(ran.wasKilled || ran.status == 137)
    #expect(try names().count == 2, "nothing was killed before the rename")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "older")
    // Another process has the ID of the killed one by now.
    let draft = try #require(names().last)
    try FileManager.default.moveItem(
      atPath: machine.home.appending(path: draft).path, toPath: "\(path).\(getpid()).new")
    try machine.succeed("export", "--force", "--output", path)
    #expect(try names() == ["out.json"])
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains(Person.ada.access))
  }

  /// A backup of a large group takes seconds.
  @Test func aRunningBackupKeepsItsDraft() throws {
    let machine = try machineOfOne()
    let ran = try machine.shell(
      """
      export T
      sh -c 'exec strace -D -f -qq -o trace -P "$PWD/copy.$$.new" -e trace=/^pwrite \
        -e inject=/^pwrite:signal=SIGSTOP:when=2 "$T" group backup \(Machine.group) copy' \
        2>errors & backup=$!
      trap "kill -KILL $backup 2>/dev/null" EXIT
      timeout 60 sh -c 'until [ "$(grep -cs pwrite trace)" = 2 ]; do :; done'
      "$T" group backup \(Machine.group) copy 2>/dev/null || echo "second $?"
      ls copy.$backup.new >/dev/null || echo "no draft"
      kill -CONT $backup; wait $backup; echo "first $?"
      cat errors; ls -A | grep ^copy
      """)
    #expect(
      ran.output.hasSuffix(
        """
        first 73
        tokenvault: "copy" already exists. Nothing was changed.
        next: run the command again with another name
        copy

        """), "\(ran.output)\(ran.errors)")
    try machine.succeed(
      "group", "restore", Machine.group, machine.home.path + "/copy", "--as", "com.example.copy")
  }

  /// A process opens a leftover to lock it. Before it does, a writer with the same process ID begins.
  @Test func aDraftThatTookThePlaceOfALeftoverStays() throws {
    let machine = try machineOfOne()
    let ran = try machine.shell(
      """
      umask 077; draft=$PWD/out.json.4194305.new; echo former >out.json; echo left >$draft
      strace -D -f -qq -o trace -P $draft -e trace=/^open -e inject=/^open:signal=SIGSTOP:when=1 \
        "$T" export --force --output $PWD/out.json 2>/dev/null & export=$!
      trap "kill -KILL $export 2>/dev/null" EXIT
      timeout 60 sh -c 'until grep -qs open trace; do :; done'
      rm $draft; exec 9>$draft; flock -n 9 && echo begun >&9
      kill -CONT $export; wait $export; echo "status $?"; cat $draft
      exec 9>&-; "$T" export --force --output out.json; ls -A | grep ^out
      """)
    #expect(ran.output == "status 0\nbegun\nout.json\n", "\(ran.output)\(ran.errors)")
  }

  /// It was killed between the erasure of the account and the removal of its rule.
  @Test(arguments: [
    ("sign-out NAME", 66), ("sign-out --all --yes", 0), ("sign-out --all-groups NAME --yes", 66),
  ])
  func theSameSignOutRemovesTheDraftOfAKilledOne(form: String, status: Int32) throws {
    let machine = try machineOfOne()
    let command = form.replacing("NAME", with: Person.ada.username)
    try machine.succeed("rule", "add", Person.ada.username, "--host", "one.example")
    func drafts() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: machine.vault.path)
        .filter { $0.hasSuffix(".new") }
    }
    // The last name that a sign-out gives to a file.
    let ran = try inject(machine, "/^rename", "signal=SIGKILL:when=1", command)
    #expect(ran.wasKilled || ran.status == 137)
    #expect(try drafts().count == 1 && machine.usernames().isEmpty)
    let again = try machine.shell("\"$T\" \(command)")
    #expect(again.status == status, "\(again.output)\(again.errors)")
    #expect(try drafts().isEmpty)
  }

  /// GLib ends a process that cannot open a file, in the middle of a sign-out, too.
  @Test func withTooFewDescriptorsASignOutChangesNothing() throws {
    let machine = try machineOfOne()
    let generations = try machine.generations()
    for limit in 5...64 {
      let ran = try machine.shell("ulimit -n \(limit); exec \"$T\" sign-out --all --yes")
      if ran.status == 0 {
        #expect(limit > 8)
        #expect(try machine.usernames().isEmpty)
        return
      }
      if ran.isTimeout { continue }
      #expect(!ran.wasKilled && [1, 74, 127].contains(ran.status), "\(limit): \(ran.errors)")
      // With less, the program does not start.
      if ran.status == 74 {
        #expect(ran.errors.localizedCaseInsensitiveContains("too many"), "\(limit): \(ran.errors)")
      }
      #expect(try machine.generations() == generations, "\(limit)")
    }
    Issue.record("64 descriptors were not enough")
  }

  /// libdispatch would wait without end for a thread.
  @Test func aLargeListingNeedsNoSecondThread() throws {
    let machine = try Machine()
    let accounts = (0..<600).map { number in
      """
      "a\(number)":{"home_account_id":"uid\(number).tenant","environment":"login.windows.net",\
      "realm":"tenant","local_account_id":"uid\(number)","username":"user\(number)@example.com",\
      "authority_type":"MSSTS"}
      """
    }
    let cache = "{\"Account\":{\(accounts.joined(separator: ","))}}"
    try machine.succeed("import", "-", input: cache)
    let expected = try machine.succeed("list")
    #expect(expected.split(separator: "\n").count == 601)
    let ran = try inject(machine, "clone3", "error=EAGAIN", "list")
    #expect(ran.status == 0 && ran.output == expected, "\(ran.errors)")
  }

  /// GLib ends a process that cannot start its threads.
  @Test func withoutFurtherThreadsASignOutChangesNothing() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob))
    let before = try machine.image()
    // The number of threads that can be started before the first that cannot.
    for first in 1...4 {
      let ran = try machine.shell(
        "exec timeout -s KILL 60 strace -f -qq -o /dev/null -e trace=clone3 "
          + "-e inject=clone3:error=EAGAIN:when=\(first)+ \"$T\" sign-out \(Person.bob.username)")
      #expect(ran.status == 74, "\(first): \(ran.status) \(ran.errors)")
      #expect(ran.errors.contains("too many processes and threads"), "\(first): \(ran.errors)")
      #expect(try machine.image() == before)
      #expect(try machine.generations() == [1])
      #expect(try machine.devicePartGenerations() == [1])
    }
    try machine.succeed("sign-out", Person.bob.username)
  }

  @Test func withoutProcTheArgumentsAreKnown() throws {
    let machine = try Machine()
    let script = "mount -t tmpfs tmpfs /proc; \"$T\" --version; \"$T\" list --no-such; echo $?"
    let ran = try machine.runMounting(script, environment: ["T": try built("tokenvault")])
    let version = try machine.succeed("--version")
    #expect(ran.output == version + "64\n", "\(ran.errors)")
  }
}

extension Machine {
  /// The path of the group's file in ``image()``.
  fileprivate var fileName: String { "groups/\(Machine.group).vault" }
}
