import Foundation
import Testing
import TokenVaultTestSupport

/// A rekey encrypts 10,000 accounts again, in one transaction.
@Suite(.timeLimit(.minutes(10))) struct LargeGroupTests {
  @Test func tenThousandAccountsSurviveARekeyThatIsKilledAndAreRekeyedByTheNext() throws {
    let machine = try Machine()
    let people = (0..<10_000).map { number in
      Person(
        name: "person\(number)",
        object: "11111111-1111-4111-8111-\(String(100_000_000_000 + number))",
        tenant: Person.ada.tenant)
    }
    try machine.succeed("import", "-", input: Person.cache(people))
    let killed = try machine.shell(
      "exec strace -f -qq -o /dev/null -e trace=/^pwrite -e "
        + "inject=/^pwrite:signal=SIGKILL:when=3000 \"$T\" group rekey")
    #expect(killed.wasKilled || killed.status == 137)
    #expect(try machine.header().generation == 1)
    #expect(try machine.token(people[9_999].username) == people[9_999].access + "\n")
    let ran = try machine.vault("group", "rekey")
    #expect(ran.status == 0, "\(ran.errors)")
    // Nothing but the result appears where there is no terminal.
    #expect(ran.errors.isEmpty)
    #expect(try machine.header().generation == 2)
    #expect(try machine.usernames().count == 10_000)
    for person in [people[0], people[5_000], people[9_999]] {
      #expect(try machine.token(person.username) == person.access + "\n")
    }
    try machine.expectSound()
  }
}
