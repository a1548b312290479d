import Foundation
import Testing
import TokenVaultTestSupport

@Suite(.timeLimit(.minutes(10))) struct ManyProcessesTests {
  /// Sixteen processes with 200 operations each, on one group and one real keyring.
  @Test func sixteenProcessesLoseNothingAndLeaveOneKey() throws {
    let machine = try Machine()
    try machine.addShared()
    let daemon = try #require(machine.session.daemonProcess)
    let probe = try built("vault-probe")
    let processes = try (0..<16).map { try machine.start([probe, "\($0)", "200"]) }
    var expected: [String: String] = ["shared-0": "shared 0", "shared-1": "shared 1"]
    var total: [String: Int] = [:]
    for (number, process) in processes.enumerated() {
      let ran = try process.wait()
      try #require(ran.status == 0, "process \(number): \(ran.errors)")
      let answer = try #require(try ran.json() as? [String: Any])
      expected.merge(try #require(answer["own"] as? [String: String])) { $1 }
      total.merge(try #require(answer["counts"] as? [String: Int]), uniquingKeysWith: +)
    }
    #expect(total["added", default: 0] == 800)
    #expect(total["switched", default: 0] == 480)
    let rotations = total["signed out", default: 0]
    #expect(rotations > 30, "\(total)")

    #expect(try machine.usernames() == expected.keys.sorted())
    for (name, value) in expected { #expect(try machine.token(name) == value + "\n") }
    try machine.expectSound()
    let generation = try machine.header().generation
    #expect(generation == UInt64(rotations + 1))
    #expect(try machine.generations() == [generation])
    #expect(machine.session.daemonProcess == daemon)
    #expect(machine.custodian.status().failure == nil)
  }

  /// The same from the command line, where each operation is a process.
  @Test func simultaneousCommandsLoseNothing() throws {
    let machine = try Machine()
    try machine.addShared()
    let script = """
      set -e
      for i in 1 2 3 4 5; do
        echo "value $N $i" | $T add --group \(Machine.group) \\
          --service "https://n$N.example" --username "own-$N" >/dev/null
        test "$($T token --account "own-$N")" = "value $N $i"
        $T switch "shared-$((i % 2))" >/dev/null
        test "$($T token --account shared-1)" = "shared 1"
        $T list --json | grep -q "own-$N"
        if [ "$N" -lt 4 ]; then $T sign-out "own-$N" >/dev/null; fi
      done
      """
    let shells = try (0..<16).map { number in
      try machine.start(
        ["/bin/bash", "-c", script],
        environment: ["T": try built("tokenvault"), "N": "\(number)"])
    }
    for (number, shell) in shells.enumerated() {
      let ran = try shell.wait()
      #expect(ran.status == 0 && ran.errors.isEmpty, "\(number): \(ran.errors)")
    }
    let left = (4..<16).map { "own-\($0)" } + ["shared-0", "shared-1"]
    #expect(try machine.usernames() == left.sorted())
    for number in 4..<16 {
      #expect(try machine.token("own-\(number)") == "value \(number) 5\n")
    }
    try machine.expectSound()
    #expect(try machine.header().generation == 21)
    #expect(try machine.generations() == [21])
  }

  @Test func fiveHundredProcessesGetTheRightToken() throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob, .eve, .dan))
    let daemon = try #require(machine.session.daemonProcess)
    let people: [Person] = [.ada, .bob, .eve, .dan]
    let tool = try built("tokenvault")
    var running: [(Person, Machine.Running)] = []
    for number in 0..<500 {
      // At most sixteen at a time.
      if running.count == 16 {
        let (person, process) = running.removeFirst()
        let ran = try process.wait()
        #expect(ran.status == 0 && ran.output == person.access + "\n", "\(ran.errors)")
      }
      let person = people[number % 4]
      running.append(
        (person, try machine.start([tool, "token", "--account", person.username])))
    }
    for (person, process) in running {
      let ran = try process.wait()
      #expect(ran.status == 0 && ran.output == person.access + "\n", "\(ran.errors)")
    }
    #expect(machine.session.daemonProcess == daemon)
    #expect(machine.custodian.status().failure == nil)
  }
}

extension Machine {
  fileprivate func addShared() throws {
    for number in 0...1 {
      try succeed(
        "add", "--group", Machine.group, "--service", "https://shared.example", "--username",
        "shared-\(number)",
        input: "shared \(number)\n")
    }
  }
}
