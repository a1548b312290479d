import Foundation
import TokenVaultKeyCustody
import Testing
import TokenVaultTestSupport

/// Each kind of custody of a group key, from the command line.
@Suite(.timeLimit(.minutes(10))) struct CustodyTests {
  @Test func aPassphraseGroupCanBeCreatedUsedAndMovedToTheKeyringAndBack() throws {
    let machine = try Machine()
    // This custody needs no keyring.
    let alone: [String: String?] = ["DBUS_SESSION_BUS_ADDRESS": nil]
    let group = "com.example.passphrase"
    func vault(
      _ arguments: String..., passphrase: String = "correct horse", input: String = ""
    ) throws -> RunResult {
      try machine.shell(
        "exec \"$T\" --group \(group) --passphrase-fd 7 "
          + arguments.joined(separator: " ") + " 7<<<'\(passphrase)'",
        input: input, environment: alone)
    }
    let made = try vault("group", "create", group, "--custody", "passphrase")
    #expect(made.status == 0, "\(made.errors)")
    let added = try vault("add", "--service", "a.example", "--username", "a", input: "first\n")
    #expect(added.status == 0, "\(added.errors)")
    _ = try vault("add", "--service", "a.example", "--username", "b", input: "second\n")
    #expect(try vault("token", "--account", "a").output == "first\n")

    let wrong = try vault("token", "--account", "a", passphrase: "incorrect horse")
    #expect(wrong.status == 77 && wrong.output.isEmpty, "\(wrong.errors)")
    let none = try machine.vault("token", "--group", group, "--account", "a", environment: alone)
    #expect(none.status == 77 && none.errors.contains("needs its passphrase"), "\(none.errors)")

    let out = try vault("sign-out", "b")
    #expect(out.status == 0, "\(out.errors)")
    #expect(try vault("token", "--account", "b").status == 66)
    #expect(try vault("token", "--account", "a").output == "first\n")

    // To the keyring, and back with another passphrase.
    let moved = try machine.shell(
      "exec \"$T\" group rekey \(group) --custody secret-service --passphrase-fd 7 "
        + "7<<<'correct horse'")
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(try machine.keyCount() == 1)
    #expect(try machine.succeed("token", "--group", group, "--account", "a") == "first\n")
    let back = try machine.shell(
      "exec \"$T\" group rekey \(group) --custody passphrase --passphrase-fd 7 7<<<'another horse'")
    #expect(back.status == 0, "\(back.errors)")
    #expect(try machine.keyCount() == 0, "the key is still in the keyring")
    #expect(try vault("token", "--account", "a").status == 77)
    #expect(try vault("token", "--account", "a", passphrase: "another horse").output == "first\n")

    // An unlocked group needs no passphrase; a locked one does.
    let unlocked = try vault("group", "unlock", "--for", "2h", passphrase: "another horse")
    #expect(unlocked.status == 0, "\(unlocked.errors)")
    let token = try machine.vault("token", "--group", group, "--account", "a", environment: alone)
    #expect(token.output == "first\n", "\(token.errors)")
    try machine.succeed("group", "lock", group)
    let locked = try machine.vault("token", "--group", group, "--account", "a", environment: alone)
    #expect(locked.status == 77)
  }

  /// With a copy from before, and with the file of today.
  @Test func aLeakedPassphraseIsCuredByARekeyToAnother() throws {
    let machine = try Machine()
    let group = "com.example.passphrase"
    func vault(_ arguments: String, _ passphrases: String..., input: String = "") throws
      -> RunResult
    {
      let lines = passphrases.map { $0 + "\\n" }.joined()
      return try machine.shell(
        "exec \"$T\" \(arguments) --group \(group) --passphrase-fd 7 7< <(printf '\(lines)')",
        input: input)
    }
    #expect(try vault("group create \(group) --custody passphrase", "leaked horse").status == 0)
    _ = try vault("add --service a.example --username a", "leaked horse", input: "first\n")
    let code = try vault("group recovery-code", "leaked horse")
    #expect(code.status == 0, "\(code.errors)")
    let copy = try machine.image()
    let same = try vault("group rekey", "leaked horse", "leaked horse")
    #expect(same.status == 0 && same.errors.contains("is the former one"), "\(same.errors)")
    let ran = try vault("group rekey", "leaked horse", "another horse")
    #expect(ran.status == 0 && !ran.errors.contains("is the former one"), "\(ran.errors)")
    _ = try vault("add --service a.example --username a", "another horse", input: "second\n")
    #expect(try vault("token --account a", "leaked horse").status == 77)
    #expect(
      try machine.shell(
        "exec \"$T\" group rekey \(group) --recovery-code", input: code.output
      ).status == 77)
    #expect(try vault("token --account a", "another horse").output == "second\n")
    // The stated limit.
    let present = try machine.image()
    try machine.restore(copy)
    #expect(try vault("token --account a", "leaked horse").output == "first\n")
    #expect(try vault("token --account a", "another horse").status == 77)
    try machine.restore(present)
    #expect(try vault("token --account a", "another horse").output == "second\n")
  }

  /// Every program of a user finds this device's parts in the same directory.
  @Test func theCommandLineAndTheLibraryKeepTheDevicePartInTheStateDirectory() throws {
    let machine = try Machine()
    let state = machine.home.appending(path: "other-state")
    let environment = ["XDG_STATE_HOME": state.path]
    try machine.succeed("import", "-", input: Person.cache(.ada), environment: environment)
    let parts = state.appending(path: "tokenvault/device-keys").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: parts).count == 1)
    #expect(!FileManager.default.fileExists(atPath: machine.deviceParts.path))
    let tool = try built("group-member")
    try machine.succeed("group", "members", Machine.group, "--add", tool, environment: environment)
    let ran = try machine.run([tool, Machine.group, "User.Read"], environment: environment)
    #expect(ran.status == 0, "\(ran.errors)")
  }

  @Test func aRecoveryCodeOpensTheGroupWhenTheKeyringLostItsKey() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob))
    let code = try machine.succeed("group", "recovery-code")
    let header = try machine.header()
    try machine.custodian.delete(GroupKeyID(groupID: header.groupID, generation: 2))
    #expect(try machine.vault("list").status == 77)
    let first = try #require(code.first)
    let wrong = (first == "a" || first == "A" ? "B" : "A") + code.dropFirst()
    let refused = try machine.vault("group", "rekey", "--recovery-code", input: wrong)
    #expect(refused.status == 77, "\(refused.errors)")
    try machine.succeed("group", "rekey", "--recovery-code", input: code)
    #expect(try machine.usernames() == [Person.ada.username, Person.bob.username])
    #expect(try machine.token(Person.ada.username) == Person.ada.access + "\n")
    #expect(try machine.generations() == [3])
    // The code is valid only for the key that it was made for.
    try machine.custodian.delete(GroupKeyID(groupID: header.groupID, generation: 3))
    #expect(try machine.vault("group", "rekey", "--recovery-code", input: code).status == 77)
  }

  /// The manifest names the key file that opens the group now, or the one that opens it after the
  /// rekey.
  @Test func aRekeyToAnotherKeyFileKilledAtAnyStepLeavesAGroupThatOpens() throws {
    let machine = try Machine()
    let group = "com.example.server"
    let key = machine.home.appending(path: "key").path
    func token() throws -> RunResult {
      try machine.vault("token", "--group", group, "--account", "a")
    }
    try machine.succeed("group", "create", group, "--key-file", key + ".0")
    try machine.succeed(
      "add", "--group", group, "--service", "a.example", "--username", "a", input: "first\n")
    var kills = 0
    for call in ["/^rename", "/^unlink", "/^f(data)?sync", "/^pwrite"] {
      for count in 1...100 {
        kills += 1
        let ran = try machine.shell(
          "exec strace -f -qq -o /dev/null -e 'trace=\(call)' "
            + "-e 'inject=\(call):signal=SIGKILL:when=\(count)' "
            + "\"$T\" group rekey \(group) --key-file \(key).\(kills)")
        let wasKilled = ran.wasKilled || ran.status == 137
        try #require(wasKilled || ran.status == 0, "\(call) \(count): \(ran.errors)")
        let opened = try token()
        #expect(opened.output == "first\n", "\(call) \(count): \(opened.errors)")
        if !wasKilled { break }
      }
    }
    #expect(kills > 15, "too few commands were killed: \(kills)")
    // Running the command again completes the rekey.
    try machine.succeed("group", "rekey", group, "--key-file", key)
    for number in 0...kills { unsafe unlink("\(key).\(number)") }
    #expect(try token().output == "first\n")
  }

  /// The new content is in a second file until the group has its new key.
  @Test func aRekeyWithTheSameKeyFileKilledAtAnyStepLeavesAGroupThatOpens() throws {
    let machine = try Machine()
    let group = "com.example.server"
    let key = machine.home.appending(path: "key").path
    func content() throws -> Data { try Data(contentsOf: URL(filePath: key)) }
    try machine.succeed("group", "create", group, "--key-file", key)
    try machine.succeed(
      "add", "--group", group, "--service", "a.example", "--username", "a", input: "first\n")
    var kills = 0
    for call in ["/^rename", "/^unlink", "/^f(data)?sync", "/^pwrite", "/^write$"] {
      for count in 1...100 {
        let ran = try machine.shell(
          "exec strace -f -qq -o /dev/null -e 'trace=\(call)' "
            + "-e 'inject=\(call):signal=SIGKILL:when=\(count)' \"$T\" group rekey \(group)")
        let wasKilled = ran.wasKilled || ran.status == 137
        try #require(wasKilled || ran.status == 0, "\(call) \(count): \(ran.errors)")
        let opened = try machine.vault("token", "--group", group, "--account", "a")
        #expect(opened.output == "first\n", "\(call) \(count): \(opened.errors)")
        if !wasKilled { break }
        kills += 1
      }
    }
    #expect(kills > 15, "too few commands were killed: \(kills)")
    let former = try content()
    let last = try machine.succeed("group", "rekey", group)
    #expect(try content() != former, "\(last)")
    let names = try FileManager.default.contentsOfDirectory(atPath: machine.home.path)
    #expect(names.filter { $0.hasPrefix("key") } == ["key"])
    try machine.succeed("group", "verify", group)
    #expect(try machine.succeed("token", "--group", group, "--account", "a") == "first\n")
  }

  @Test func onlyASignOutFromTheKeyringLoadsLibsecret() throws {
    let machine = try Machine()
    let group = "com.example.server"
    try machine.succeed(
      "group", "create", group, "--key-file", machine.home.appending(path: "key").path)
    for (group, isLoaded) in [(group, false), ("dev.tokenvault.shared", true)] {
      try machine.succeed(
        "add", "--group", group, "--service", "a.example", "--username", "a", input: "first\n")
      let ran = try machine.shell(
        "strace -f -qq -o opened -e trace=openat,open \"$T\" sign-out --group \(group) a "
          + "&& grep -c libsecret-1 opened")
      #expect((ran.output.split(separator: "\n").last == "0") != isLoaded, "\(ran.output)")
    }
  }

  @Test func aGroupCreatedDespiteAnErrorKeepsItsKeyFile() throws {
    let machine = try Machine()
    let group = "com.example.server"
    let home = machine.home.path
    let key = home + "/key"
    let file = machine.home.appending(path: ".local/share/tokenvault/groups/\(group).vault").path
    var createdDespiteError = 0
    // SQLite uses fdatasync. The last fsync is that of the group's directory.
    for count in 1...12 {
      let ran = try machine.shell(
        // Directories that an earlier run made need no sync.
        "rm -rf \(home)/.config/tokenvault \(home)/.local/share/tokenvault; "
          + "exec strace -f -qq -o /dev/null -e trace=fsync "
          + "-e 'inject=fsync:error=EIO:when=\(count)' "
          + "\"$T\" group create \(group) --key-file \(key)")
      let exists = FileManager.default.fileExists(atPath: file)
      #expect(FileManager.default.fileExists(atPath: key) == exists, "\(count): \(ran.errors)")
      if exists {
        if ran.status != 0 { createdDespiteError += 1 }
        try machine.succeed("group", "verify", group)
        try machine.succeed("group", "delete", group, "--yes")
        unsafe unlink(key)
      }
    }
    #expect(createdDespiteError > 0)
  }
}
