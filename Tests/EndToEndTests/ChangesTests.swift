import Foundation
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

@Suite(.timeLimit(.minutes(10))) struct ChangesTests {
  @Test func aWatchingToolSeesASwitchAndASignOutByAnotherProcess() async throws {
    let machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob))
    var configuration = try VaultConfiguration(environment: machine.session.environment)
    configuration.isAdministrator = true
    let vault = Vault(configuration)
    #expect(try await vault.accounts().accounts.count == 2)
    var changes = vault.changes().makeAsyncIterator()
    // A second iterator. The first call takes the state to compare with, so the other process has to
    // switch until both have seen a change.
    async let second = {
      var changes = vault.changes().makeAsyncIterator()
      return try await changes.next()
    }()
    let script = "until test -e stop; do $T switch \(Person.bob.username) >/dev/null; "
    let switching = try machine.start(
      ["/bin/bash", "-c", script + "$T switch \(Person.ada.username) >/dev/null; done"],
      environment: ["T": try built("tokenvault")])
    defer { switching.signal(SIGKILL) }
    #expect(try await changes.next() != nil)
    #expect(try await second != nil)
    try machine.write("", to: "stop")
    #expect(try switching.wait().status == 0)
    #expect(try await vault.currentAccount().username == Person.ada.username)
    let erasing = try machine.start(
      [built("tokenvault"), "sign-out", Person.bob.username])
    while try await vault.accounts().accounts.count == 2 { _ = try await changes.next() }
    #expect(try erasing.wait().status == 0)
    #expect(try await vault.accounts().accounts.map(\.username) == [Person.ada.username])
  }
}
