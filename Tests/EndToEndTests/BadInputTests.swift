import Foundation
import Testing
import TokenVaultTestSupport

/// Invalid input and environments lead to an error message with the documented status and change no
/// byte of the vault.
@Suite(.timeLimit(.minutes(10))) struct BadInputTests {
  /// Runs each script, in which `$T` is `tokenvault`, and expects an error without changes.
  private func refuse(
    _ machine: Machine, _ cases: [(script: String, input: String, status: Int32)],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try machine.image()
    for (script, input, status) in cases {
      let ran = try machine.shell(script, input: input)
      let place = Comment(rawValue: "\(script): \(ran.errors)")
      #expect(ran.status == status, place, sourceLocation: sourceLocation)
      #expect(ran.output.isEmpty, place, sourceLocation: sourceLocation)
      #expect(ran.errors.contains("tokenvault: "), place, sourceLocation: sourceLocation)
      #expect(!ran.errors.contains("\u{1b}"), place, sourceLocation: sourceLocation)
      let now = try machine.image()
      for name in before.keys.sorted() where now[name] != before[name] {
        Issue.record("\(script) changed \(name)", sourceLocation: sourceLocation)
      }
    }
  }

  private func machineOfOne() throws -> Machine {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada))
    return machine
  }

  @Test func aBadCacheIsRefused() throws {
    let machine = try machineOfOne()
    let cache = Person.cache(.bob)
    let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
    var cases: [(String, String, Int32)] = [
      ("$T import -", "", 65), ("$T import -", "{", 65), ("$T import -", "[]", 65),
      ("$T import -", "nonsense", 65), ("$T import -", String(cache.dropLast()), 65),
      ("$T import -", cache + "x", 65), ("$T import -", "\u{feff}{\"Account\":7}", 65),
      ("$T import -", "{\"Account\":\(deep)}", 65),
      ("$T import missing.json", "", 66), ("$T import .", "", 74),
    ]
    // A token of 100 MiB, in a file and through a pipe.
    let big = machine.home.appending(path: "big.json").path
    let token = cache.range(of: Person.bob.access)
    let start = try #require(token)
    try Data(
      (cache[..<start.lowerBound] + String(repeating: "t", count: 100 << 20)
        + cache[start.upperBound...]).utf8
    ).write(to: URL(filePath: big))
    cases.append(("$T import \(big)", "", 65))
    cases.append(("cat \(big) | $T import -", "", 65))
    cases.append(
      (
        "$T import -",
        cache.replacing(Person.bob.access, with: String(repeating: "t", count: 2 << 20)),
        65
      ))
    cases.append(
      ("head -c 104857600 /dev/zero | $T add --service a.example --username a", "", 64))
    try refuse(machine, cases)
    #expect(try machine.usernames() == [Person.ada.username])
    // An entity that cannot be read is kept for an export, and nothing of it is shown.
    for name in ["bob\\u0000@", "bob\\n@"] {
      try machine.succeed("import", "-", input: cache.replacing("bob@", with: name))
      let shown = try machine.usernames().joined()
      #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(shown.debugDescription)")
    }
  }

  @Test func aBadNameIsRefused() throws {
    let machine = try machineOfOne()
    let add = "$T add --service a.example --username"
    try refuse(
      machine,
      [
        ("\(add) $'a\\nb'", "secret", 64), ("\(add) ''", "secret", 64),
        ("\(add) $'a\\x1b[2Jb'", "secret", 64),
        ("\(add) \"$(head -c 2000 /dev/zero | tr '\\0' a)\"", "secret", 64),
        ("\(add) a", "", 64), ("\(add) a", "\n", 64),
        ("$T add --service 'https://u:p@a.example' --username a", "secret", 64),
        ("$T add --service $'a.example\\n' --username a", "secret", 64),
        ("$T list --group ../x", "", 64), ("$T list --group /etc/passwd", "", 64),
        ("$T list --group ''", "", 64), ("$T list --group $'a.b\\nc'", "", 64),
        ("TOKENVAULT_GROUP=../x $T list", "", 64), ("$T group create ../../x", "", 64),
        ("$T group delete .. --yes", "", 64), ("$T list --group A.B", "", 64),
        ("$T token --group ../x", "", 64), ("$T alias ada@contoso.example $'a\\nb'", "", 64),
        ("$T token --min-validity x", "", 64), ("$T frobnicate", "", 64),
        ("$T list --frobnicate $'\\x1b[2J'", "", 64), ("$T list --all-groups x", "", 64),
      ])
  }

  @Test func aBadManifestIsRefused() throws {
    let machine = try machineOfOne()
    let name = "com.example.team"
    let path = ".config/tokenvault/keychain-groups/\(name).json"
    let good =
      #"{"name":"com.example.team","title":"Team","members":["tokenvault"],"#
      + #""custody":"secret-service","deviceMode":"private"}"#
    for bad in [
      "{", "[]", good.dropLast() + #","colour":"red"}"#,
      good.replacing("\"private\"", with: "\"public\""),
      good.replacing(name, with: "com.example.b"),
      good.replacing("\"Team\"", with: "7"), String(repeating: " ", count: 70_000) + good,
    ] {
      try machine.write(String(bad), to: path)
      try refuse(
        machine,
        [("$T add --group \(name) --service a.example --username a", "secret", 78)])
      #expect(
        !FileManager.default.fileExists(atPath: machine.file.replacing(Machine.group, with: name)))
    }
  }

  @Test func unsafePathsAreRefused() throws {
    let machine = try machineOfOne()
    let file = machine.file
    let groups = machine.vault.appending(path: "groups").path
    let commands = ["list", "token", "switch ada@contoso.example", "group rekey"]
    for (spoil, mend) in [
      ("chmod 644 \(file)", "chmod 600 \(file)"), ("chmod 660 \(file)", "chmod 600 \(file)"),
      ("chmod 755 \(groups)", "chmod 700 \(groups)"),
      ("mv \(file) x; ln -s $PWD/x \(file)", "rm \(file); mv x \(file)"),
      ("mv \(groups) y; ln -s $PWD/y \(groups)", "rm \(groups); mv y \(groups)"),
      ("mv \(file) x; mkdir \(file)", "rmdir \(file); mv x \(file)"),
    ] {
      for command in commands {
        let ran = try machine.shell(
          "(\(spoil)); sha256sum \(file) >before 2>/dev/null; $T \(command); status=$?; "
            + "sha256sum \(file) 2>/dev/null | cmp before - >&2 && (\(mend)); exit $status")
        #expect(ran.status == 77, "\(spoil), \(command): \(ran.errors)")
        #expect(ran.output.isEmpty)
        #expect(ran.errors.contains("is not safe to use") && ran.errors.contains("\nnext: "))
      }
    }
    #expect(try machine.token(Person.ada.username) == Person.ada.access + "\n")
  }

  /// Files that belong to another user.
  @Test func aVaultOfAnotherUserIsRefused() throws {
    let machine = try machineOfOne()
    let foreign = try machine.shell(
      """
      if test "$(id -u)" = 0; then own() { "$@"; }; else own() { sudo -n "$@"; }; fi
      own chown 4321 "\(machine.file)"
      $T list; echo "file $?"
      own chown "$(id -u)" "\(machine.file)"
      own chown 4321 "\(machine.vault.path)/groups"
      $T list; echo "directory $?"
      own chown "$(id -u)" "\(machine.vault.path)/groups"
      """)
    #expect(foreign.output == "file 77\ndirectory 77\n", "\(foreign.errors)")
    #expect(foreign.errors.contains("its owner is user 4321"))
    #expect(try machine.usernames() == [Person.ada.username])
  }

  /// Runs a script with permission to mount. `$D` is a separate file system that contains the
  /// vault.
  private func mounted(_ machine: Machine, size: String, _ script: String) throws -> RunResult {
    let text = """
      D=$HOME/disk; mkdir -m 700 $D
      mount -t tmpfs -o size=\(size),mode=700 tmpfs $D
      export TOKENVAULT_HOME=$D/vault
      \(script)
      """
    return try machine.runMounting(text, environment: ["T": try built("tokenvault")])
  }

  @Test func onAReadOnlyFileSystemWritingFailsAndReadingWorks() throws {
    let machine = try Machine()
    try machine.write(Person.cache(.ada), to: "cache.json")
    let ran = try mounted(
      machine, size: "4m",
      """
      $T import cache.json >/dev/null
      before=$(cat $D/vault/groups/* | sha256sum)
      mount -o remount,ro $D
      $T token
      $T list >/dev/null; echo "list $?"
      $T doctor >/dev/null; echo "doctor $?"
      echo s | $T add --group \(Machine.group) --service a.example --username a; echo "add $?"
      $T import cache.json; echo "import $?"
      $T switch \(Person.ada.username); echo "switch $?"
      $T sign-out \(Person.ada.username); echo "sign-out $?"
      $T group rekey; echo "rekey $?"
      $T group create com.example.new; echo "create $?"
      test "$before" = "$(cat $D/vault/groups/* | sha256sum)" && echo unchanged
      mount -o remount,rw $D
      $T token
      """)
    #expect(
      ran.output == """
        \(Person.ada.access)
        list 0
        doctor 0
        add 74
        import 74
        switch 74
        sign-out 74
        rekey 74
        create 74
        unchanged
        \(Person.ada.access)

        """, "\(ran.errors)")
    #expect(try machine.keyCount() == 1)
  }

  /// libcurl and libsecret are hidden by mounts over their files. The group in force can be read
  /// without them.
  @Test func aMissingLibraryIsAWarningThatNamesTheCommandsItAffects() throws {
    let machine = try Machine()
    try machine.write(Person.cache(.ada), to: "cache.json")
    let ran = try mounted(
      machine, size: "4m",
      """
      hide() { for f in $(ldconfig -p | sed -n "s/.*=> //p" | grep -E "$1"); do
        mount --bind /dev/null "$f"; done; }
      $T import cache.json >/dev/null
      hide '/libcurl(-gnutls)?[.]so[.]4$'
      $T doctor | grep -A2 -e '^warning  libcurl' -e ^FAILING; $T doctor >/dev/null; echo "doctor $?"
      $T request GET https://graph.microsoft.com/v1.0/me; echo "request $?"
      hide '/libsecret-1[.]so[.]0$'
      $T doctor | grep -A2 -e '^warning  libsecret' -e ^FAILING; $T doctor >/dev/null; echo "doctor $?"
      $T list >/dev/null; echo "list $?"
      echo s | $T add --group \(Machine.group) --service a.example --username a >/dev/null
      echo "add $?"
      $T group create com.example.new; echo "create $?"
      $T --group com.microsoft.adalcache doctor | grep ^FAILING; echo "new group ${PIPESTATUS[0]}"
      """)
    #expect(
      ran.output == """
        warning  libcurl: libcurl is not installed, and requests to providers need it. Nothing was changed.
                 affects: sign-in, request, token if it has to be renewed, sign-out for the revocation
                 next: sudo apt-get install libcurl4
        doctor 0
        request 69
        warning  libsecret: libsecret is not installed. Nothing was changed.
                 affects: group create, group rekey, sign-out
                 next: sudo apt-get install libsecret-1-0
        doctor 0
        list 0
        add 0
        create 69
        FAILING  libsecret: libsecret is not installed. Nothing was changed.
        new group 69

        """, "\(ran.errors)")
  }

  @Test func aFullDiskIsAnErrorAndChangesNothing() throws {
    let machine = try Machine()
    try machine.write(Person.cache(.ada), to: "cache.json")
    try machine.write(Person.cache(.bob, .eve, .dan), to: "more.json")
    let ran = try mounted(
      machine, size: "2m",
      """
      $T import cache.json >/dev/null
      head -c 4000000 /dev/zero >$D/filler 2>/dev/null
      $T import more.json; echo "import $?"
      head -c 500000 /dev/urandom | $T add --group \(Machine.group) \\
        --service a.example --username a; echo "add $?"
      $T sign-out \(Person.ada.username); echo "sign-out $?"
      $T group create com.example.new; echo "create $?"
      rm $D/filler
      $T list --json | grep -o '"username":"[^"]*"' | sort -u
      $T token
      $T group verify >/dev/null; echo "verify $?"
      ls $D/vault/groups | grep -c vault.new
      """)
    #expect(
      ran.output == """
        import 74
        add 74
        sign-out 74
        create 74
        "username":"\(Person.ada.username)"
        \(Person.ada.access)
        verify 0
        0

        """, "\(ran.errors)")
    let message = "tokenvault: The disk is full; nothing was changed.\nnext: df -h\n"
    #expect(ran.errors.components(separatedBy: message).count == 5, "\(ran.errors)")
    #expect(try machine.keyCount() == 1)
  }

  @Test func aMissingHomeAndAnUnwritableOutputAreErrors() throws {
    let machine = try machineOfOne()
    try refuse(
      machine,
      [
        ("env -u HOME $T list", "", 78), ("HOME=relative $T list", "", 78),
        ("env -u HOME $T token", "", 78),
        ("$T list >&-", "", 74), ("$T list >/dev/full", "", 74), ("$T token >&-", "", 74),
        ("$T token >/dev/full", "", 74), ("$T export >/dev/full", "", 74),
        ("$T --help >/dev/full", "", 74),
        ("$T export --output /dev/full", "", 73),
        ("$T export --output /nowhere/x", "", 73),
      ])
    let json = try machine.shell("$T list --json 2>&1 >/dev/full; echo $?")
    #expect(json.output.hasPrefix("{\"code\":\"outputFailed\","))
    #expect(json.output.hasSuffix("\"exitStatus\":74}\n74\n"))
    // If all streams are closed, no opened file gets their descriptors.
    let closed = try machine.shell("$T token <&- >&- 2>&-; echo $?")
    #expect(closed.output == "74\n")
  }
}
