import Foundation
import TokenVaultGroupStore
import TokenVaultKeyCustody
import Testing
import TokenVaultTestSupport

/// Erased accounts stay erased, and a lost key or a damaged file leads to no further loss.
@Suite(.timeLimit(.minutes(10))) struct LossTests {
  private func machineOfTwo() throws -> Machine {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob))
    try machine.succeed("switch", Person.ada.username)
    return machine
  }

  @Test func aCopyFromBeforeASignOutCannotBeOpened() throws {
    let machine = try machineOfTwo()
    // One copy without a log, and one with the log of a killed process.
    var copies = [try machine.image()]
    _ = try machine.shell(
      "exec strace -f -qq -o /dev/null -e trace=/^fdatasync -e "
        + "inject=/^fdatasync:signal=SIGKILL:when=2 \"$T\" import -",
      input: Person.cache(.ada, .bob, mark: "-later"))
    copies.append(try machine.image())
    #expect(copies[1].keys.contains { $0.hasSuffix("-wal") })
    let former = GroupKeyID(groupID: try machine.header().groupID, generation: 1)
    let formerPart = try machine.custodian.key(former)
    try machine.succeed("sign-out", Person.bob.username)
    let left = try machine.image()
    let keys = try machine.generations()
    #expect(keys == [2])
    for copy in copies { try expectClosed(copy, on: machine) }
    #expect(try machine.generations() == keys)

    // A keyring that has not forgotten the former key.
    try machine.custodian.store(formerPart, as: former)
    for copy in copies { try expectClosed(copy, on: machine) }

    try machine.restore(left)
    #expect(try machine.usernames() == [Person.ada.username])
  }

  /// No command opens the copy, and neither does any pair of a key in the keyring and a device part.
  private func expectClosed(_ copy: [String: Data], on machine: Machine) throws {
    try machine.restore(copy)
    let ran = try machine.vault("token", "--account", Person.bob.username)
    #expect(ran.status == 65 && ran.output.isEmpty, "\(ran.errors)")
    #expect(try machine.vault("list").status == 65)
    let header = try machine.header()
    #expect(header.generation == 1)
    #expect(try LockedGroup(path: machine.file).generationsWithWrappedSuccessorKey().isEmpty)
    let devicePart = DevicePartCustodian(directory: machine.deviceParts.path)
    #expect(try devicePart.generations(of: header.groupID) == [2])
    let device = try devicePart.key(GroupKeyID(groupID: header.groupID, generation: 2))
    let generations = try machine.generations()
    #expect(!generations.isEmpty)
    for generation in generations {
      let id = GroupKeyID(groupID: header.groupID, generation: generation)
      let parts = KeyParts(keyring: try machine.custodian.key(id), device: try device.clone())
      #expect(try !machine.isOpened(by: parts.key(of: header.groupID)))
      #expect(try !machine.isOpened(by: parts.keyring.clone()))
    }
  }

  /// The frames of a commit whose sync fails may be complete in the log, whatever the reason is.
  @Test func aCommitThatFailsInItsSyncKeepsTheKeyThatItMayNeed() throws {
    let machine = try machineOfTwo()
    var failures = 0
    for sync in 1...4 {
      let ran = try machine.shell(
        "exec strace -f -qq -o /dev/null -e trace=/^fdatasync -e "
          + "inject=/^fdatasync:error=ENOSPC:when=\(sync) \"$T\" group rekey")
      guard try machine.header().generation == 1 else { break }
      guard ran.status != 0 else { continue }
      failures += 1
      #expect(try machine.generations() == [1, 2], "\(ran.errors)")
      #expect(try machine.devicePartGenerations() == [1, 2])
      #expect(try machine.usernames().count == 2)
    }
    #expect(failures > 0)
    try machine.succeed("group", "rekey")
    #expect(try machine.generations().count == 1)
    #expect(try machine.usernames().count == 2)
  }

  @Test func aRestoredOlderFileIsRefused() throws {
    let machine = try machineOfTwo()
    let backup = machine.home.appending(path: "backup").path
    try machine.succeed("group", "backup", Machine.group, backup)
    let copy = try machine.image()
    try machine.succeed("sign-out", Person.bob.username)
    let now = try machine.image()
    let refused = try machine.vault("group", "restore", Machine.group, backup)
    #expect(refused.status != 0)
    #expect(try machine.usernames() == [Person.ada.username])
    #expect(try machine.image().keys.sorted() == now.keys.sorted())
    try machine.restore(copy)
    for command in [["list"], ["token"], ["group", "rekey"], ["switch", Person.bob.username]] {
      let ran = try machine.run([built("tokenvault")] + command)
      #expect(ran.status == 65, "\(command): \(ran.errors)")
      #expect(ran.errors.contains("copy from before a sign-out"))
    }
    #expect(try machine.generations() == [2])
  }

  /// The older rows of one account, of the same generation, and one damaged byte in the other.
  @Test func anOlderRowIsNotReturnedAndDamageElsewhereDoesNotHideIt() throws {
    let machine = try machineOfTwo()
    let copy = try machine.write("", to: "copy")
    try Data(contentsOf: URL(filePath: machine.file)).write(to: URL(filePath: copy))
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob, mark: "-later"))
    for person in [Person.ada, .bob] {
      #expect(try machine.token(person.username).contains(person.access + "-later"))
    }
    func attack(_ sql: String) throws {
      let ran = try machine.run([
        "/usr/bin/python3", "-c",
        """
        import sqlite3, sys
        file = sqlite3.connect(sys.argv[1])
        file.execute("ATTACH ? AS copy", (sys.argv[2],))
        file.executescript(sys.argv[3])
        """, machine.file, copy, sql,
      ])
      try #require(ran.status == 0, "\(ran.errors)")
    }
    // The second row is that of either person.
    try attack(
      """
      UPDATE account SET sheet = (SELECT sheet FROM copy.account WHERE id = 2) WHERE id = 2;
      INSERT OR REPLACE INTO account_key SELECT * FROM copy.account_key WHERE id = 2;
      DELETE FROM record WHERE account = 2;
      INSERT INTO record SELECT * FROM copy.record WHERE account = 2
      """)
    var refused: [String] = []
    for person in [Person.ada, .bob] {
      let ran = try machine.vault("token", "--account", person.username)
      if ran.status == 0 {
        #expect(ran.output.contains(person.access + "-later"))
      } else {
        #expect(ran.status == 65 && ran.output.isEmpty)
        refused.append(person.username)
      }
    }
    #expect(refused.count == 1)
    try attack("UPDATE account_key SET wrapped = zeroblob(60) WHERE id = 1")
    let listed = try machine.vault("list")
    #expect(listed.status == 65 && listed.output.isEmpty)
    #expect(listed.errors.contains("2 accounts"))
    for person in [Person.ada, .bob] {
      let ran = try machine.vault("token", "--account", person.username)
      #expect(ran.status == 65 && ran.output.isEmpty)
    }
    #expect(try machine.vault("group", "verify").status == 65)
  }

  @Test func aMissingKeyIsNeverReplaced() throws {
    let machine = try machineOfTwo()
    let header = try machine.header()
    try machine.custodian.delete(GroupKeyID(groupID: header.groupID, generation: 1))
    let before = try machine.image()
    for (command, input) in [
      (["list"], ""), (["token"], ""), (["switch", Person.bob.username], ""),
      (["add", "--group", Machine.group, "--service", "a.example", "--username", "a"], "secret"),
      (["import", "-"], Person.cache(.eve)), (["sign-out", Person.bob.username], ""),
      (["sign-out", "--all", "--yes"], ""), (["group", "rekey"], ""), (["export"], ""),
      (["group", "recovery-code"], ""), (["group", "rekey", "--custody", "passphrase"], ""),
    ] {
      let ran = try machine.run([built("tokenvault")] + command, input: input)
      #expect(ran.status == 77, "\(command): \(ran.errors)")
      #expect(ran.errors.contains("\nnext: "))
    }
    #expect(try machine.vault("group", "create", Machine.group).status == 73)
    #expect(try machine.image()[URL(filePath: machine.file).lastPathComponent] == nil)
    let name = "groups/\(Machine.group).vault"
    #expect(try machine.image()[name] == before[name])
    #expect(try machine.keyCount() == 0)
  }

  @Test(
    .parity(
      "MSALCacheConfig.trustedApplications",
      "MSALCacheConfig.createTrustedApplicationListFromPaths:error:"))
  func aToolThatIsNotAMemberIsRefused() throws {
    let machine = try machineOfTwo()
    let tool = try built("group-member")
    let refused = try machine.run([tool, Machine.group, "User.Read"])
    #expect(refused.status == 77 && refused.output.isEmpty)
    let line = try #require(refused.errors.split(separator: "\n").last)
    let command = String(try #require(line.components(separatedBy: ": ").last))
    #expect(command == "tokenvault group members \(Machine.group) --add \(tool)")
    // The suggested command adds the tool.
    let added = try machine.shell(
      command.replacing("tokenvault", with: "\"$T\"", maxReplacements: 1))
    #expect(added.status == 0, "\(added.errors)")
    let admitted = try machine.run([tool, Machine.group, "User.Read"])
    #expect(admitted.status == 0, "\(admitted.errors)")
    #expect(admitted.output.hasPrefix("\(Person.ada.username): a token of "))
    try machine.succeed("group", "members", Machine.group, "--remove", tool)
    #expect(try machine.run([tool, Machine.group, "User.Read"]).status == 77)
  }

  @Test func readingADamagedFileDeletesNothing() throws {
    let machine = try machineOfTwo()
    let name = "groups/\(Machine.group).vault"
    let whole = try #require(try machine.image()[name])
    var refused = 0
    for position in stride(from: 24, to: whole.count, by: whole.count / 50) {
      var damaged = whole
      damaged[position] ^= 0x10
      try machine.restore([name: damaged])
      for command in [["list"], ["group", "verify"], ["token"], ["export"], ["doctor"]] {
        let ran = try machine.run([built("tokenvault")] + command)
        #expect(!ran.wasKilled)
        #expect([0, 65].contains(ran.status), "\(command) at \(position): \(ran.errors)")
        if ran.status == 65 { refused += 1 }
      }
      #expect(try machine.image()[name] == damaged, "reading changed the file")
    }
    #expect(refused > 10)
    try machine.restore([name: whole])
    #expect(try machine.usernames() == [Person.ada.username, Person.bob.username])
    #expect(try machine.generations() == [1])
  }
}
