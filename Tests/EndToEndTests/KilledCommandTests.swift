import Foundation
import TokenVaultKeyCustody
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto

/// Each command that changes something, killed at each system call that does so: the writes and
/// syncs of files, and the messages to the keyring. Writes with which GLib's threads wake each
/// other change nothing outside of the process and are left out.
@Suite(.timeLimit(.minutes(10))) struct KilledCommandTests {
  enum Operation: String, CaseIterable, Sendable {
    case create, add, importing, switching, signOut, rekey, move

    var command: [String] {
      switch self {
      case .create:
        ["add", "--group", Machine.group, "--service", "first.example", "--username", "carol"]
      case .add:
        ["add", "--group", Machine.group, "--service", "git.example", "--username", "carol"]
      case .importing: ["import", "-"]
      case .switching: ["switch", Person.bob.username]
      case .signOut: ["sign-out", Person.bob.username]
      case .rekey: ["group", "rekey"]
      case .move:
        ["group", "rekey", Machine.group, "--custody", "key-file", "--key-file", "$HOME/key"]
      }
    }

    var input: String {
      switch self {
      case .create, .add: "second\n"
      case .importing: Person.cache(.ada, .eve, .dan, mark: "-later")
      case .switching, .signOut, .rekey, .move: ""
      }
    }
  }

  /// Regular expressions, because the names of some calls depend on the architecture. strace counts
  /// the calls of each thread.
  static let calls = [
    "/^pwrite", "/^f(data)?sync", "/^ftruncate", "/^rename", "/^link", "/^unlink", "/^sendto$",
    "/^sendmsg$",
  ]

  @Test(arguments: Operation.allCases)
  func aCommandKilledAtAnyStepTakesEffectEntirelyOrNotAtAll(operation: Operation) throws {
    let stage = try Stage(operation)
    var kills = 0
    for call in Self.calls {
      for count in 1...1000 {
        var ran = try stage.run(killedAt: call, count)
        for _ in 0..<5 where ran.isTimeout {
          try stage.reset()
          ran = try stage.run(killedAt: call, count)
        }
        let wasKilled = ran.wasKilled || ran.status == 137
        try #require(wasKilled || ran.status == 0, "\(call) \(count): \(ran.errors)")
        try stage.check(isDone: wasKilled ? nil : true, "\(operation), \(call) \(count)")
        try stage.reset()
        if !wasKilled { break }
        kills += 1
      }
    }
    // The write of the command's output.
    let ran = try stage.run(killedAt: "/^write$", 1, onlyOutput: true)
    #expect(ran.wasKilled || ran.status == 137)
    try stage.check(isDone: true, "\(operation), the output")
    #expect(kills > 20, "too few commands were killed: \(kills)")
  }

  /// A machine that is reset to the same state before each run.
  private final class Stage {
    private let machine: Machine
    private let operation: Operation
    private var image: [String: Data] = [:]
    private var deviceParts: [String: Data] = [:]
    private var key: [UInt8] = []
    private var id = GroupKeyID(groupID: [], generation: 0)

    init(_ operation: Operation) throws {
      self.operation = operation
      machine = try Machine()
      if operation == .create { return }
      try machine.succeed("import", "-", input: Person.cache(.ada, .bob))
      try machine.succeed("switch", Person.ada.username)
      try machine.succeed(
        "add", "--group", Machine.group, "--service", "git.example", "--username", "carol",
        input: "first\n")
      image = try machine.image()
      deviceParts = try Machine.image(of: machine.deviceParts)
      let header = try machine.header()
      id = GroupKeyID(groupID: header.groupID, generation: header.generation)
      key = unsafe try machine.custodian.key(id).withUnsafeBytes { unsafe Array($0) }
    }

    func run(killedAt call: String, _ count: Int, onlyOutput: Bool = false) throws -> RunResult {
      let path = onlyOutput ? #"-P "$(readlink /proc/$$/fd/1)""# : ""
      return try machine.shell(
        "exec strace -f -qq -o /dev/null \(path) -e 'trace=\(call)' "
          + "-e 'inject=\(call):signal=SIGKILL:when=\(count)' \"$T\" "
          + operation.command.joined(separator: " "), input: operation.input)
    }

    func reset() throws {
      try machine.restore(image)
      try Machine.restore(deviceParts, to: machine.deviceParts)
      if operation == .move {
        _ = try machine.shell("rm -rf $HOME/key $HOME/.config/tokenvault/keychain-groups")
      }
      if operation == .create { return }
      let kept = try machine.custodian.generations(of: id.groupID)
      for generation in kept where generation != id.generation {
        try machine.custodian.delete(GroupKeyID(groupID: id.groupID, generation: generation))
      }
      if !kept.contains(id.generation) {
        try machine.custodian.store(SecretBytes(copying: key), as: id)
      }
    }

    /// - Parameter isDone: whether the change must have happened; nil if it may have happened.
    func check(isDone: Bool?, _ place: Comment) throws {
      if operation == .create { return try checkCreation(isDone: isDone, place) }
      if operation == .move { return try checkMove(isDone: isDone, place) }
      // The next command opens the group and completes what was begun.
      let names = try machine.usernames()
      let done = try happened(names)
      if let isDone { #expect(done || !isDone, "an acknowledged change is lost: \(place)") }
      #expect(try machine.token(Person.ada.username).hasPrefix(Person.ada.access), place)
      try machine.expectSound()
      let generation = try machine.header().generation
      let isRotated = operation == .signOut || operation == .rekey
      #expect(generation == id.generation + (isRotated && done ? 1 : 0), place)
      let kept = try machine.generations()
      #expect(kept.first == generation, "\(place): the keyring has \(kept)")
      #expect(kept == [generation] || !done && isRotated && kept == [generation, generation + 1])
      let parts = try machine.devicePartGenerations()
      #expect(parts.first == generation, "\(place): the device has \(parts)")
      #expect(parts == [generation] || !done && isRotated && parts == [generation, generation + 1])
      guard isRotated, !done else { return }
      // The remains of the killed command do not prevent the next sign-out.
      try machine.succeed("sign-out", Person.bob.username)
      #expect(try !machine.usernames().contains(Person.bob.username), place)
      #expect(try machine.generations() == [generation + 1], place)
      #expect(try machine.devicePartGenerations() == [generation + 1], place)
    }

    private func checkCreation(isDone: Bool?, _ place: Comment) throws {
      let exists = FileManager.default.fileExists(atPath: machine.file)
      if isDone == true { #expect(exists, "an acknowledged change is lost: \(place)") }
      if exists {
        let names = try machine.usernames()
        #expect(names == ["carol"] || names.isEmpty && isDone != true, place)
      } else {
        let ran = try machine.vault("list", "--json")
        #expect(ran.status == 0 && ran.output == "[]\n", "\(place): \(ran.errors)")
      }
      // The same command succeeds whatever the killed one left.
      try machine.succeed(
        "add", "--group", Machine.group, "--service", "first.example", "--username", "carol",
        input: "second\n")
      #expect(try machine.token("carol") == "second\n", place)
      try machine.expectSound()
      #expect(try machine.keyCount() == 1, "\(place): a key is left")
      let parts = try Machine.image(of: machine.deviceParts).count
      #expect(parts == 1, "\(place): a device part is left")
      let left = try machine.image().keys.sorted()
      #expect(!left.contains { $0.hasSuffix(".new") }, "\(place): \(left)")
      try machine.succeed("group", "delete", Machine.group, "--yes")
      #expect(try machine.keyCount() == 0, place)
      #expect(try Machine.image(of: machine.deviceParts).isEmpty, place)
      #expect(try !machine.image().keys.contains { $0.contains(".vault") }, place)
    }

    private func checkMove(isDone: Bool?, _ place: Comment) throws {
      #expect(try machine.token(Person.ada.username).hasPrefix(Person.ada.access), place)
      let custody = try machine.header().custody
      if isDone == true { #expect(custody == .keyFile, "an acknowledged change is lost: \(place)") }
      // The same command succeeds whatever the killed one left.
      let command = operation.command.joined(separator: " ")
      let ran = try machine.shell("$T \(command)")
      #expect(ran.status == 0, "\(place): \(ran.errors)")
      #expect(try machine.header().custody == .keyFile, place)
      #expect(try machine.token(Person.ada.username).hasPrefix(Person.ada.access), place)
      try machine.expectSound()
      #expect(try machine.keyCount() == 0, "\(place): a key is left")
      let left = try machine.shell("ls $HOME $HOME/.config/tokenvault/keychain-groups").output
      #expect(!left.contains(".new") && !left.contains(".next"), "\(place): \(left)")
    }

    /// Whether the change happened entirely. A partial change is a failure.
    private func happened(_ names: [String]) throws -> Bool {
      let before = [Person.ada.username, Person.bob.username, "carol"].sorted()
      switch operation {
      case .create, .move: return true
      case .add:
        #expect(names == before)
        let secret = try machine.token("carol")
        #expect(["first\n", "second\n"].contains(secret))
        return secret == "second\n"
      case .importing:
        let isNew = try machine.token(Person.ada.username) == Person.ada.access + "-later\n"
        let after = (before + [Person.dan.username, Person.eve.username]).sorted()
        #expect(names == (isNew ? after : before), "half an import")
        return isNew
      case .switching:
        #expect(names == before)
        let current = try machine.succeed("current")
        return current.contains(Person.bob.username)
      case .signOut:
        let isErased = !names.contains(Person.bob.username)
        #expect(names == before.filter { !isErased || $0 != Person.bob.username })
        if !isErased {
          #expect(try machine.token(Person.bob.username) == Person.bob.access + "\n")
        }
        return isErased
      case .rekey:
        #expect(names == before)
        return try machine.header().generation == id.generation + 1
      }
    }
  }
}
